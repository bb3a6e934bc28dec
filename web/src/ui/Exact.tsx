/** The longest numerator or denominator that is set as a fraction; longer ones stand in a line that wraps. */
const LONGEST = 10;

/** An exact number: a fraction is set as one, with a bar. */
export function Exact({ text }: { text: string }) {
  const [top, bottom] = text.split('/');
  if (top === undefined || bottom === undefined) return <span class="number">{text}</span>;
  if (Math.max(top.length, bottom.length) > LONGEST) {
    return (
      <span class="number fraction--long" data-exact={text}>
        {top}
        <wbr />⁄<wbr />
        {bottom}
      </span>
    );
  }
  return (
    <span class="fraction number" role="math" aria-label={`${top} over ${bottom}`} data-exact={text}>
      <span aria-hidden="true">{top}</span>
      <span aria-hidden="true">{bottom}</span>
    </span>
  );
}
