import { useWorkspace } from '../../state/workspace';

/** Makes fractions of decimal numbers: only what is exact can be decided. */
export function MakeExact() {
  const space = useWorkspace();
  return (
    <button type="button" class="button button--small" title="Take the nearest fractions with denominators up to a million, and rescale the rows" onClick={() => void space.rewrite({ rationalized: true })}>
      Make exact
    </button>
  );
}
