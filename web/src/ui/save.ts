import type { File as Sent } from '../bridge/contract';

/** Hands a file to the browser's downloads. */
export function save(name: string, content: Blob): void {
  const url = URL.createObjectURL(content);
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

export function saveSent(file: Sent): void {
  const bytes = Uint8Array.from(atob(file.content), (c) => c.charCodeAt(0));
  save(file.name, new Blob([bytes], { type: file.media_type ?? 'application/octet-stream' }));
}
