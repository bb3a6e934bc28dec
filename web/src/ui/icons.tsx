import type { ComponentChildren } from 'preact';

function Icon({ children }: { children: ComponentChildren }) {
  return (
    <svg viewBox="0 0 20 20" fill="none" stroke="currentColor" stroke-width="1.7" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true">
      {children}
    </svg>
  );
}

export const Undo = () => <Icon><path d="M7 4 3 8l4 4M3.5 8H12a5 5 0 0 1 0 10h-2" /></Icon>;
export const Redo = () => <Icon><path d="m13 4 4 4-4 4M16.5 8H8a5 5 0 0 0 0 10h2" /></Icon>;
export const Link = () => <Icon><path d="M8.5 11.5a3.5 3.5 0 0 0 5 0l2.5-2.5a3.5 3.5 0 0 0-5-5l-1 1M11.5 8.5a3.5 3.5 0 0 0-5 0L4 11a3.5 3.5 0 0 0 5 5l1-1" /></Icon>;
export const Code = () => <Icon><path d="m7 6-4 4 4 4M13 6l4 4-4 4" /></Icon>;
export const Download = () => <Icon><path d="M10 3v9M6 8.5l4 4 4-4M4 16.5h12" /></Icon>;
export const Sun = () => <Icon><circle cx="10" cy="10" r="3.5" /><path d="M10 1.8v1.7M10 16.5v1.7M1.8 10h1.7M16.5 10h1.7M4.2 4.2l1.2 1.2M14.6 14.6l1.2 1.2M4.2 15.8l1.2-1.2M14.6 5.4l1.2-1.2" /></Icon>;
export const Moon = () => <Icon><path d="M16.5 11.8A7 7 0 0 1 8.2 3.5a7 7 0 1 0 8.3 8.3Z" /></Icon>;
export const Play = () => <Icon><path d="M6 4v12l10-6Z" fill="currentColor" /></Icon>;
export const Pause = () => <Icon><path d="M7 4v12M13 4v12" stroke-width="2.6" /></Icon>;
export const First = () => <Icon><path d="M15 4 7 10l8 6ZM4.5 4v12" /></Icon>;
export const Back = () => <Icon><path d="m12.5 4-6 6 6 6" /></Icon>;
export const Forward = () => <Icon><path d="m7.5 4 6 6-6 6" /></Icon>;
export const Last = () => <Icon><path d="m5 4 8 6-8 6ZM15.5 4v12" /></Icon>;
export const Plus = () => <Icon><path d="M10 4v12M4 10h12" /></Icon>;
export const Cross = () => <Icon><path d="m5 5 10 10M15 5 5 15" /></Icon>;

export const Brand = () => (
  <svg viewBox="0 0 32 32" aria-hidden="true">
    <rect width="32" height="32" rx="8" fill="#155e75" />
    <path d="M6 24h5v-5h5v-6h5v-5h5" fill="none" stroke="#fff" stroke-width="2.6" stroke-linecap="round" stroke-linejoin="round" />
    <path d="M5 16h22" stroke="#fbbf24" stroke-width="2" stroke-dasharray="3 3" />
  </svg>
);
