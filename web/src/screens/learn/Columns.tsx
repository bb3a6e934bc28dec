import { useState } from 'preact/hooks';
import type { Reading, SampleRead } from '../../bridge/contract';
import { readCases } from '../../state/cases';
import { useWorkspace } from '../../state/workspace';
import { Choice } from '../../ui/Choice';
import { Switch } from '../../ui/Switch';

const ROLES: Readonly<Record<string, string>> = {
  word: 'events of the case',
  accepted: 'outcome',
  outcome: 'outcome',
  id: 'case',
  event: 'event',
  order: 'time or order',
  weight: 'how often',
  states: 'states seen',
  verdicts: 'verdicts along the way',
  verdict: 'verdict after the event',
};
/** What a column becomes when a row is an event instead of a case, and the other way round. */
const OTHER: Readonly<Record<string, string>> = { word: 'event', event: 'word', accepted: 'outcome', outcome: 'accepted', verdict: 'verdicts', verdicts: 'verdict' };
const DELIMITERS: readonly (readonly [string, string])[] = [
  [',', 'commas'],
  [';', 'semicolons'],
  ['\t', 'tabs'],
  ['|', 'bars'],
];
const SEPARATORS: readonly (readonly [string, string])[] = [
  [' ', 'blanks'],
  [',', 'commas'],
  [';', 'semicolons'],
  ['>', '>'],
  ['', 'nothing: each letter is one'],
];

/** The first rows of the file with what each column was taken for; another choice reads the file anew. */
export function Columns({ read }: { read: SampleRead }) {
  const space = useWorkspace();
  const reading = space.reading.value;
  const chosen = reading.columns ?? {};
  const roles: Readonly<Record<string, number>> = Object.keys(chosen).length
    ? Object.fromEntries(Object.entries(chosen).map(([role, column]) => [role, typeof column === 'number' ? column - 1 : read.columns.indexOf(column)]))
    : read.roles;
  const roleOf = (column: number) => Object.entries(roles).find(([, place]) => place === column)?.[0] ?? '';
  const [ofCases, ofEvents] = read.possible;
  const [turned, setTurned] = useState<boolean | null>(null);
  const events = turned ?? (Object.keys(roles).length ? Object.keys(roles).every((role) => ofEvents.includes(role)) : read.events);
  const unclear = read.problem !== null && read.columns.length > 1 && !Object.keys(read.roles).length;
  const delimited = read.format === 'csv' || read.format === 'tsv';

  // The outcomes have names of their own, and only the user knows which one is to be predicted.
  const asks = read.problem !== null && read.outcomes.length > 0 && !reading.positive;

  const again = (change: Reading) => void readCases(space, { ...reading, ...change });
  const take = (next: Readonly<Record<string, number>>) =>
    again({ header: read.header, columns: Object.fromEntries(Object.entries(next).map(([role, place]) => [role, place + 1])) });
  const choose = (column: number, role: string) => {
    const others = Object.entries(roles).filter(([name, place]) => place !== column && name !== role);
    take(Object.fromEntries(role ? [...others, [role, column]] : others));
  };
  const turn = (toEvents: boolean) => {
    const possible = toEvents ? ofEvents : ofCases;
    setTurned(toEvents);
    take(Object.fromEntries(Object.entries(roles).flatMap(([role, place]) => [role, OTHER[role] ?? ''].filter((name) => possible.includes(name)).map((name) => [name, place] as const))));
  };

  return (
    <section class="panel" aria-label="Columns">
      <div class="panel__head">
        <h2>Columns</h2>
        <div class="row">
          {read.columns.length > 1 && (
            <Choice
              label="Each row is"
              value={events ? 'event' : 'case'}
              options={[
                ['case', 'A row is a case'],
                ['event', 'A row is an event'],
              ]}
              onChange={(kind) => turn(kind === 'event')}
            />
          )}
          {delimited && (
            <Switch checked={read.header} onChange={(header) => again({ header, columns: {} })}>
              First row has names
            </Switch>
          )}
        </div>
      </div>
      <div class="row">
        {delimited && (
          <Between label="Cells are separated by" value={reading.delimiter ?? (read.format === 'tsv' ? '\t' : ',')} options={DELIMITERS} onChange={(delimiter) => again({ format: 'csv', delimiter, header: null, columns: {} })} />
        )}
        {!events && roles['word'] !== undefined && (
          <Between label="Events of a case are separated by" value={reading.separator ?? null} options={SEPARATORS} onChange={(separator) => again({ separator })} />
        )}
        {read.outcomes.length > 0 && (
          <label class="row small">
            <span class="muted">Predict</span>
            <select class="select" value={reading.positive ?? (read.outcomes.includes(read.names[0]) ? read.names[0] : '')} onChange={(event) => again({ positive: event.currentTarget.value || null })}>
              {!read.outcomes.includes(read.names[0]) && <option value="">{asks ? 'choose…' : read.names[0]}</option>}
              {read.outcomes.map((outcome) => (
                <option key={outcome}>{outcome}</option>
              ))}
            </select>
          </label>
        )}
      </div>
      <div class="scroll">
        <table class="table columns-table" aria-label="First rows">
          <thead>
            <tr>
              {read.columns.map((name, i) => (
                <th key={i} scope="col">
                  <span class="columns-table__name">{name}</span>
                  <select class="select" aria-label={`Column ${name} is`} value={roleOf(i)} onChange={(event) => choose(i, event.currentTarget.value)}>
                    <option value="">not used</option>
                    {(events ? ofEvents : ofCases).map((role) => (
                      <option key={role} value={role}>
                        {ROLES[role] ?? role}
                      </option>
                    ))}
                  </select>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {read.rows.slice(0, 6).map((row, r) => (
              <tr key={r}>
                {read.columns.map((_, i) => (
                  <td key={i} class={roleOf(i) ? '' : 'muted'}>
                    <span class="columns-table__cell">{row[i]}</span>
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {asks && (
        <div class="note note--tie row" role="group" aria-label="Outcome to predict">
          <strong>Which outcome is to be predicted?</strong>
          {read.outcomes.slice(0, 8).map((outcome) => (
            <button key={outcome} type="button" class="button" onClick={() => again({ positive: outcome })}>
              {outcome}
            </button>
          ))}
        </div>
      )}
      {unclear && (
        <p class="note note--tie">
          <strong>Which column holds what?</strong> Choose above: {events ? 'the case, the event, its time or order, and the outcome.' : 'the events of the case, and its outcome.'}
        </p>
      )}
      {read.problem !== null && (
        <p class={asks || unclear ? 'muted small' : 'note note--bad'} role="alert">
          {read.problem}
        </p>
      )}
      {read.warnings.map((warning) => (
        <p key={warning} class="note">
          {warning}
        </p>
      ))}
    </section>
  );
}

/** What stands between cells or events; null is what the file itself suggests. */
function Between({ label, value, options, onChange }: { label: string; value: string | null; options: readonly (readonly [string, string])[]; onChange: (text: string | null) => void }) {
  const known = value === null || options.some(([text]) => text === value);
  return (
    <label class="row small">
      <span class="muted">{label}</span>
      <select class="select" value={value === null ? 'guess' : `is ${value}`} onChange={(event) => onChange(event.currentTarget.value === 'guess' ? null : event.currentTarget.value.slice(3))}>
        {value === null && <option value="guess">as found</option>}
        {!known && <option value={`is ${value}`}>{value}</option>}
        {options.map(([text, name]) => (
          <option key={text} value={`is ${text}`}>
            {name}
          </option>
        ))}
      </select>
    </label>
  );
}
