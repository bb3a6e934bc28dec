import type { ComponentChildren } from 'preact';
import type { Signal } from '@preact/signals';
import { useEffect, useMemo, useState } from 'preact/hooks';
import type { DiagramText } from '../../bridge/contract';
import { Diagram, type DiagramProps } from '../../diagram/Diagram';
import { useAnswer } from '../../state/answer';
import type { Machine } from '../../state/workspace';
import { decimal, whole } from '../../ui/numbers';

/** More arrows than this are not laid out: the slider starts where that many are left. */
const MOST_ARROWS = 40;
/** A diagram of more states is a ball of wool. */
const MOST_STATES = 60;

type Shown = Pick<DiagramProps, 'levels' | 'flow' | 'marked'>;

interface MachineDiagramProps extends Shown {
  readonly machine: Machine;
  readonly name: string;
  /** Stands for a diagram that is too large. */
  readonly instead?: ComponentChildren;
  /** Is told the least probability that is shown: pictures and scripts show the same moves. */
  readonly least?: Signal<number>;
}

/** The diagram of a machine, its strong moves only above a slider. */
export function MachineDiagram({ machine, name, instead, least: told, ...shown }: MachineDiagramProps) {
  const strengths = useMemo(() => arrowStrengths(machine.checked.transitions), [machine]);
  const least = useMemo(() => strengths[MOST_ARROWS] ?? 0, [strengths]);
  const [chosen, setChosen] = useState<number | null>(null);
  const least_shown = Math.max(chosen ?? least, least);
  const states = machine.checked.state_labels.length;
  const drawn = states <= MOST_STATES;
  useEffect(() => {
    if (told) told.value = drawn ? least_shown : 0;
  }, [told, drawn, least_shown]);
  const drawing = useAnswer('diagram', drawn ? { machine: machine.draft, min_probability: least_shown } : null, [machine, least_shown]);

  if (!drawn) return instead ?? <p class="note">A diagram of {whole(states)} states would not be readable.</p>;
  const strongest = strengths[0] ?? 1;
  return (
    <>
      {drawing.problem !== null && <p class="note note--bad">{drawing.problem}</p>}
      {drawing.value && <Diagram dot={drawing.value.dot} label={described(name, drawing.value)} {...shown} />}
      {strengths.length > 1 && (
        <label class="field diagram-slider">
          <span class="row row--spread">
            <span>Only moves of at least</span>
            <output class="number">{decimal(least_shown, 3)}</output>
          </span>
          <input type="range" min={0} max={strongest} step={0.001} value={least_shown} aria-label="Only moves of at least this probability" onInput={(event) => setChosen(Number(event.currentTarget.value))} />
        </label>
      )}
    </>
  );
}

function described(name: string, { edges }: DiagramText): string {
  return `Diagram of ${name}, ${edges.length} arrows`;
}

/** The largest probability of each arrow, strongest first. */
function arrowStrengths(transitions: readonly (readonly (readonly number[])[])[]): number[] {
  const found: number[] = [];
  const first = transitions[0] ?? [];
  first.forEach((row, s) =>
    row.forEach((_, t) => {
      const strength = Math.max(...transitions.map((matrix) => matrix[s]?.[t] ?? 0));
      if (strength > 0) found.push(strength);
    }),
  );
  return found.sort((a, b) => b - a);
}
