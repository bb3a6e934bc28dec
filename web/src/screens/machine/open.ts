import { base64 } from '../../bridge/messages';
import type { Draft } from '../../bridge/contract';
import type { Client } from '../../bridge/client';
import { isDraft } from '../../state/sound';

/** A machine from files of any format that the package reads; `.draft.json` is one as it was typed. */
export async function openMachine(client: Client, files: readonly File[]): Promise<{ draft: Draft; name: string }> {
  const [first] = files;
  if (!first) throw new Error('No file was chosen.');
  const name = first.name.replace(/(\.draft)?\.[^.]*$/, '');
  if (first.name.endsWith('.draft.json')) return { draft: typed(first.name, await first.text()), name };
  const sent = await Promise.all(files.map(async (file) => ({ name: file.name, content: await base64(file) })));
  const opened = await client.call('open', { files: sent });
  const [problem] = opened.problems;
  if (!opened.draft) throw new Error(problem?.sentence ?? 'The file holds no machine.');
  return { draft: opened.draft, name };
}

function typed(name: string, text: string): Draft {
  try {
    const draft: unknown = JSON.parse(text);
    if (isDraft(draft)) return draft;
  } catch {
    // No JSON at all.
  }
  throw new Error(`${name}: this is no machine as the workbench has saved it. Download it again, as typed.`);
}
