import { effect } from '@preact/signals';
import { render } from 'preact';
import { App } from './app';
import type { Draft } from './bridge/contract';
import { pageBridge } from './bridge/page';
import { address, screenSignal } from './router';
import { keep, kept } from './state/kept';
import { unpacked } from './state/share';
import { soundState } from './state/sound';
import { workspace, WorkspaceProvider, type Workspace } from './state/workspace';
import './style/page.css';
import './style/index.css';
import { themed } from './theme';

const { bridge, base } = pageBridge();
const space = workspace(bridge, screenSignal(window));
const theme = themed(document.documentElement);

/** Opens the machine that a link holds, in the address that the page is at; false if there is none. */
async function opened(space: Workspace): Promise<boolean> {
  const { screen, query } = address(location.hash);
  const shared = query.get('share');
  if (shared === null) return false;
  history.replaceState(null, '', `#/${screen}`);
  try {
    const held = soundState(await unpacked(shared));
    if (!held) throw new Error('no machine');
    space.restore({ word: [], cursor: 0, ...held });
  } catch {
    space.say('The link is damaged: its machine cannot be read.', true);
  }
  return true;
}

/** What the page begins with: a shared link, what this tab had, the file of the command line, or the last tab's state. */
async function begin(space: Workspace): Promise<void> {
  const before = kept();
  if (before.state.draft) space.restore(before.state);

  const linked = await opened(space);
  window.addEventListener('hashchange', () => void opened(space)); // a link that is pasted into this tab
  const untouched = space.draft.value; // nothing comes in the way of someone who has begun already
  const offer = (draft: Draft, name: string) => space.draft.value === untouched && space.take(draft, name);
  try {
    const started = await space.client.call('start', {});
    space.started.value = started;
    if (started.problem !== null) space.say(started.problem, true);
    const fresh = !before.own || before.base !== base();
    if (!linked && fresh && started.draft) offer(started.draft, started.name.replace(/\.[^.]*$/, ''));
    if (started.sample) {
      space.reading.value = started.sample.reading;
      space.upload.value = { name: started.sample.name, upload: started.sample.upload };
      if (!started.draft && !linked && fresh) space.screen.value = 'learn';
    }
    if (!linked && !started.draft && !before.state.draft) {
      const { entries } = await space.client.call('gallery', {});
      const first = entries[0];
      if (first) offer(first.draft, first.name);
    }
  } catch (error) {
    if (error instanceof Error && error.name === 'Refusal') space.say(error.message, true);
  }
  let timer: ReturnType<typeof setTimeout> | undefined;
  effect(() => {
    const state = space.state();
    clearTimeout(timer);
    timer = setTimeout(() => keep(state, base()), 150);
  });
  window.addEventListener('pagehide', () => keep(space.state(), base()));
}

void begin(space);

const root = document.getElementById('app');
if (root) {
  render(
    <WorkspaceProvider value={space}>
      <App {...theme} />
    </WorkspaceProvider>,
    root,
  );
}
