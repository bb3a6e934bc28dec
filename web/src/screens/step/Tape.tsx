import { useEffect, useRef, useState } from 'preact/hooks';
import { useWorkspace } from '../../state/workspace';
import { Back, First, Forward, Last, Pause, Play } from '../../ui/icons';
import { keysOf, textOf, wordFrom } from './keys';

const PACE = 700;

/** The word on a tape with the place up to which it is read; keys, buttons and arrows read it on. */
export function Tape() {
  const space = useWorkspace();
  const { word, cursor } = space;
  const symbols = space.symbolLabels.value;
  const keys = keysOf(symbols);
  const [playing, setPlaying] = useState(false);
  const tape = useRef<HTMLDivElement>(null);
  const n = word.value.length;
  const k = Math.min(cursor.value, n);

  const go = (to: number) => {
    cursor.value = Math.max(0, Math.min(word.value.length, to));
  };
  const read = (code: number) => {
    word.value = [...word.value.slice(0, cursor.value), code, ...word.value.slice(cursor.value)];
    cursor.value++;
  };

  useEffect(() => {
    tape.current?.querySelector('[data-head=true]')?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }, [k, n]);

  useEffect(() => {
    if (!playing) return;
    const timer = setInterval(() => {
      if (cursor.value >= word.value.length) setPlaying(false);
      else cursor.value++;
    }, PACE);
    return () => clearInterval(timer);
  }, [playing]);

  const actions: Readonly<Record<string, () => void>> = {
    ArrowRight: () => go(cursor.value + 1),
    ArrowLeft: () => go(cursor.value - 1),
    Home: () => go(0),
    End: () => go(word.value.length),
    ' ': () => toggle(),
    Backspace: () => {
      if (cursor.value === 0) return;
      word.value = word.value.filter((_, i) => i !== cursor.value - 1);
      cursor.value--;
    },
    Delete: () => {
      word.value = word.value.filter((_, i) => i !== cursor.value);
    },
  };
  const toggle = () => {
    if (!playing && cursor.value >= word.value.length) cursor.value = 0;
    setPlaying(!playing);
  };
  const act = useRef(actions);
  act.current = actions;
  const known = useRef(keys);
  known.current = keys;

  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || busyElsewhere(event.target, event.key)) return;
      const code = known.current.indexOf(event.key);
      const action = act.current[event.key];
      if (code < 0 && !action) return;
      event.preventDefault();
      if (code >= 0) read(code);
      else action?.();
    };
    // The page or the widget, not the window: a notebook has keys of its own.
    const root = tape.current?.closest<HTMLElement>('.cutpoint');
    root?.addEventListener('keydown', onKeyDown);
    return () => root?.removeEventListener('keydown', onKeyDown);
  }, []);

  return (
    <section class="panel tape" aria-label="Tape">
      <div class="row row--spread">
        <div class="row tape__keys" role="group" aria-label="Read a symbol">
          {symbols.map((symbol, code) => (
            <button key={code} type="button" class="button tape__key" onClick={() => read(code)}>
              {symbol}
              {keys[code] !== null && keys[code] !== symbol && <kbd>{keys[code]}</kbd>}
            </button>
          ))}
        </div>
        <div class="row tape__transport" role="group" aria-label="Move along the tape">
          <button type="button" class="button button--icon" aria-label="To the start" title="Home" onClick={() => go(0)}>
            <First />
          </button>
          <button type="button" class="button button--icon" aria-label="One back" title="Arrow left" disabled={k === 0} onClick={() => go(k - 1)}>
            <Back />
          </button>
          <button type="button" class="button button--icon button--primary" aria-label={playing ? 'Pause' : 'Play'} title="Space" disabled={n === 0} onClick={toggle}>
            {playing ? <Pause /> : <Play />}
          </button>
          <button type="button" class="button button--icon" aria-label="One on" title="Arrow right" disabled={k === n} onClick={() => go(k + 1)}>
            <Forward />
          </button>
          <button type="button" class="button button--icon" aria-label="To the end" title="End" onClick={() => go(n)}>
            <Last />
          </button>
        </div>
      </div>
      <div class="tape__strip" ref={tape} role="group" aria-label="The word">
        <button type="button" class="tape__cell tape__cell--start" data-head={k === 0} aria-label="Before the first symbol" onClick={() => go(0)}>
          ⊢
        </button>
        {word.value.map((code, i) => (
          <button key={i} type="button" class={i < k ? 'tape__cell tape__cell--read' : 'tape__cell'} data-head={i + 1 === k} aria-label={`Symbol ${i + 1}: ${symbols[code] ?? '?'}${i < k ? ', read' : ''}`} onClick={() => go(i + 1)}>
            {symbols[code] ?? '?'}
          </button>
        ))}
        {n === 0 && <span class="muted tape__hint">Type a symbol, or press one of the buttons above.</span>}
      </div>
      <WordEntry />
    </section>
  );
}

/** The keys of a text field, a select or a slider are its own; a button keeps Space and Enter. */
function busyElsewhere(target: EventTarget | null, key: string): boolean {
  if (!(target instanceof Element)) return false;
  if (target.closest('dialog, [role=menu]')) return true;
  if (target.closest('input:not([type=checkbox]), select, textarea')) return true;
  return key === ' ' && target.closest('button, a, input, label') !== null;
}

function WordEntry() {
  const space = useWorkspace();
  const symbols = space.symbolLabels.value;
  const [text, setText] = useState<string | null>(null);
  const { unknown } = wordFrom(text ?? '', symbols);
  const shown = text ?? textOf(space.word.value, symbols);
  return (
    <label class="field tape__entry">
      The word as text
      <input
        class="input word"
        value={shown}
        placeholder="ε"
        spellcheck={false}
        aria-invalid={unknown !== null || undefined}
        onFocus={() => setText(shown)}
        onBlur={() => setText(null)}
        onInput={(event) => {
          setText(event.currentTarget.value);
          const { codes, unknown: stranger } = wordFrom(event.currentTarget.value, symbols);
          if (stranger !== null) return;
          space.word.value = codes;
          space.cursor.value = codes.length;
        }}
      />
      {unknown !== null && (
        <span class="field__problem" role="alert">
          “{unknown}” is not a symbol of this machine; its symbols are {symbols.slice(0, 12).join(', ')}
          {symbols.length > 12 ? ', …' : ''}.
        </span>
      )}
    </label>
  );
}
