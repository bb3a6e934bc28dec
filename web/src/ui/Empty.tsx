import type { ComponentChildren } from 'preact';

/** What a screen shows when it has nothing to show yet, and what to do about it. */
export function Empty({ title, children }: { title: string; children: ComponentChildren }) {
  return (
    <section class="empty">
      <h2>{title}</h2>
      <div>{children}</div>
    </section>
  );
}
