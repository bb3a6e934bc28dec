import type { ComponentChildren } from 'preact';

/** A check box drawn as a switch. */
export function Switch({ checked, onChange, children, disabled = false }: { checked: boolean; onChange: (checked: boolean) => void; children: ComponentChildren; disabled?: boolean }) {
  return (
    <label class="switch">
      <input type="checkbox" role="switch" checked={checked} disabled={disabled} onChange={(event) => onChange(event.currentTarget.checked)} />
      <span class="switch__track" aria-hidden="true" />
      <span>{children}</span>
    </label>
  );
}
