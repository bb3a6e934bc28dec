/** A word by the labels of its symbols; the empty word is ε. */
export function Word({ symbols }: { symbols: readonly string[] }) {
  if (!symbols.length) return <span class="word word--empty" aria-label="the empty word">ε</span>;
  if (symbols.every((symbol) => [...symbol].length === 1)) return <span class="word">{symbols.join('')}</span>;
  return (
    <span class="word word--tokens">
      {symbols.map((symbol, i) => (
        <span key={i} class="token">
          {symbol}
        </span>
      ))}
    </span>
  );
}
