import type { ComponentChildren } from 'preact';
import { Refusal } from '../bridge/bridge';
import { useWorkspace } from '../state/workspace';
import { packed } from '../state/share';
import { Code, Download, Link, Redo, Undo } from './icons';
import { Menu, type MenuItem } from './Menu';
import { save, saveSent } from './save';

const FORMATS: Readonly<Record<string, string>> = {
  '.json': 'Model',
  '.npz': 'Model, binary',
  '.svg': 'Diagram',
  '.png': 'Diagram, pixels',
  '.pdf': 'Diagram, for print',
  '.tikz': 'Diagram, for LaTeX',
  '.dot': 'Graphviz',
  '.gv': 'Graphviz',
  '.att': 'OpenFst text',
  '.fst.txt': 'OpenFst text',
  '.drn': 'Storm',
  '.tra': 'PRISM',
  '.pautomac_model.txt': 'PAutomaC',
  '.js': 'JavaScript',
  '.mjs': 'JavaScript module',
  '.sql': 'SQL',
  '.onnx': 'ONNX',
};

/** What is left out, and said, where the package refuses a format and advises that. */
const LESS = { rounded: 'with rounded numbers', bare: 'without its cut point, its notes and what else it carries' };

/** What every screen offers: undo, a link, a script, files. */
export function Tools({ children }: { children: ComponentChildren }) {
  const space = useWorkspace();
  const { past, machine, name, upload, reading, client, request } = space;

  const reported = async (work: Promise<void>) => {
    try {
      await work;
    } catch (error) {
      space.say(error instanceof Error ? error.message : String(error), true);
    }
  };

  const share = async () => {
    const { draft, name: title, word, cutPoint } = space.state();
    const link = new URL(location.href);
    link.pathname = link.pathname.replace(/^\/[\w-]{32}\/$/, '/'); // the token of this server is nobody else's business
    link.hash = `/${space.screen.value}?share=${await packed({ draft, name: title, word, cutPoint })}`;
    await navigator.clipboard.writeText(link.href);
    space.say('Link copied. It holds the machine itself: cutpoint workbench "LINK" opens it anywhere.');
  };

  const script = async () => {
    const asked = request.value ?? { screen: 'machine', request: { machine: space.draft.value } };
    const answer = await client.call('script', { ...asked, name: name.value });
    await navigator.clipboard.writeText(answer.script);
    answer.files.forEach(saveSent);
    space.say(answer.files.length ? 'Python copied; the files it reads were downloaded.' : 'Python copied.');
  };

  const download = async (format: string, less: readonly (keyof typeof LESS)[] = []): Promise<void> => {
    try {
      const options = Object.fromEntries(less.map((option) => [option, true]));
      const { files } = await client.call('download', { machine: space.draft.value, format, name: name.value, min_probability: space.least.value, ...options });
      files.forEach(saveSent);
      if (less.length) space.say(`Saved as far as ${format} can hold it, ${less.map((option) => LESS[option]).join(' and ')}; .json keeps all.`);
    } catch (error) {
      const next = (['rounded', 'bare'] as const).find(
        (option) => !less.includes(option) && error instanceof Refusal && error.advice.includes(`{${option}=True}`),
      );
      if (!next) throw error;
      await download(format, [...less, next]);
    }
  };

  const report = async () => {
    const sample = upload.value;
    if (!sample) return;
    const { files } = await client.call('report', {
      machine: space.draft.value,
      sample: { upload: sample.upload, name: sample.name, reading: reading.value },
    });
    files.forEach(saveSent);
  };

  const formats = space.started.value?.downloads ?? ['.json'];
  const items: MenuItem[] = [
    ...formats.map((format) => ({ label: FORMATS[format] ?? 'File', hint: format, onSelect: () => void reported(download(format)) })),
    ...(upload.value ? [{ label: 'Report', hint: '.html', onSelect: () => void reported(report()) }] : []),
    {
      label: 'As typed',
      hint: '.draft.json',
      onSelect: () => save(`${name.value}.draft.json`, new Blob([JSON.stringify(space.draft.value, null, 1)], { type: 'application/json' })),
    },
  ];
  const good = machine.value !== null;
  return (
    <div class="shell__tools" role="toolbar" aria-label="Everywhere">
      <button type="button" class="button button--quiet button--icon" aria-label="Undo" title="Undo (Ctrl+Z)" disabled={!past.value.past.length} onClick={() => space.undo()}>
        <Undo />
      </button>
      <button type="button" class="button button--quiet button--icon" aria-label="Redo" title="Redo (Ctrl+Shift+Z)" disabled={!past.value.future.length} onClick={() => space.redo()}>
        <Redo />
      </button>
      <button type="button" class="button" aria-label="Share link" title="A link that holds the machine itself" onClick={() => void reported(share())}>
        <Link />
        <span class="wide">Share</span>
      </button>
      <button type="button" class="button" aria-label="Copy as Python" title="A script that reproduces what is on the screen" disabled={!good} onClick={() => void reported(script())}>
        <Code />
        <span class="wide">Copy as Python</span>
      </button>
      <Menu label="Download" items={items}>
        <Download />
        <span class="wide">Download</span>
      </Menu>
      {children}
    </div>
  );
}
