import type { ComponentChildren } from 'preact';
import { useRef, useState } from 'preact/hooks';

/** A place to drop files on, and a button that lets choose them. */
export function Drop({ label, slim = false, accept, multiple = false, onFiles, children }: { label: string; slim?: boolean; accept?: string; multiple?: boolean; onFiles: (files: File[]) => void; children: ComponentChildren }) {
  const input = useRef<HTMLInputElement>(null);
  const [over, setOver] = useState(false);
  const given = (files: FileList | null | undefined) => {
    if (files?.length) onFiles([...files]);
    if (input.current) input.current.value = '';
  };
  return (
    <div
      class={`drop${over ? ' drop--over' : ''}${slim ? ' drop--slim' : ''}`}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault();
        setOver(false);
        given(event.dataTransfer?.files);
      }}
    >
      {children}
      <button type="button" class={slim ? 'button' : 'button button--primary'} onClick={() => input.current?.click()}>
        {label}
      </button>
      <input ref={input} type="file" class="hidden" tabIndex={-1} aria-label={label} accept={accept} multiple={multiple} onChange={(event) => given(event.currentTarget.files)} />
    </div>
  );
}
