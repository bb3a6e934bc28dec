import { Exact } from './Exact';
import { decimal } from './numbers';

/** A probability: as a fraction where there is an exact one and it is wanted, else as a decimal. */
export function Probability({ value, exact }: { value: number; exact?: string | null | undefined }) {
  if (exact === null || exact === undefined) {
    return (
      <span class="number" title={String(value)}>
        {decimal(value)}
      </span>
    );
  }
  return <Exact text={exact} />;
}
