/** One of a few, side by side. */
export function Choice<T extends string>({ label, value, options, onChange }: { label: string; value: T; options: readonly (readonly [T, string])[]; onChange: (value: T) => void }) {
  return (
    <div class="choice" role="group" aria-label={label}>
      {options.map(([option, text]) => (
        <button key={option} type="button" aria-pressed={option === value} class="choice__option" onClick={() => onChange(option)}>
          {text}
        </button>
      ))}
    </div>
  );
}
