import type { ReadonlySignal } from '@preact/signals';
import { useEffect, useErrorBoundary } from 'preact/hooks';
import type { Screen } from './router';
import { Cases } from './screens/Cases';
import { Compare } from './screens/Compare';
import { CutPoint } from './screens/CutPoint';
import { Learn } from './screens/Learn';
import { Machine } from './screens/Machine';
import { Step } from './screens/Step';
import { useWorkspace } from './state/workspace';
import type { Theme } from './theme';
import { Brand, Cross, Moon, Sun } from './ui/icons';
import { Empty } from './ui/Empty';
import { Reconnect } from './ui/Reconnect';
import { Tools } from './ui/Tools';

const TITLES: Readonly<Record<Screen, string>> = {
  machine: 'Machine',
  step: 'Step',
  cut: 'Cut point',
  compare: 'Compare',
  learn: 'Learn',
  cases: 'Cases',
};

const VIEWS = { machine: Machine, step: Step, cut: CutPoint, compare: Compare, learn: Learn, cases: Cases };

/** The page: its head, the screen in the address, and what is said at the bottom. */
export function App({ dark, choose }: { dark: ReadonlySignal<boolean>; choose: (theme: Theme) => void }) {
  const space = useWorkspace();
  const screen = space.screen.value;

  useEffect(() => {
    document.title = `${TITLES[screen]} · ${space.name.value} · cutpoint`;
  }, [screen, space.name.value]);

  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (!(event.ctrlKey || event.metaKey) || event.altKey) return;
      const key = event.key.toLowerCase();
      if (key !== 'z' && key !== 'y') return;
      // A field that is no part of the machine has an undo of its own.
      if (event.target instanceof Element && event.target.matches('input:not(.cell):not([type=checkbox]):not([type=range]), textarea')) return;
      event.preventDefault();
      if (key === 'y' || event.shiftKey) space.redo();
      else space.undo();
    };
    window.addEventListener('keydown', onKeyDown);
    return () => window.removeEventListener('keydown', onKeyDown);
  }, [space]);

  const notice = space.notice.value;
  return (
    <div class="shell">
      <a class="skip" href="#main" onClick={(event) => (event.preventDefault(), document.getElementById('main')?.focus())}>
        Skip to the screen
      </a>
      <header class="shell__head">
        <a class="shell__brand" href="#/machine">
          <Brand />
          <span>cutpoint</span>
        </a>
        <nav class="shell__nav" aria-label="Screens">
          {Object.entries(TITLES).map(([name, title]) => (
            <a key={name} class="shell__link" href={`#/${name}`} aria-current={name === screen ? 'page' : undefined}>
              {title}
            </a>
          ))}
        </nav>
        <Tools>
          <button type="button" class="button button--quiet button--icon" aria-label={dark.value ? 'Light colors' : 'Dark colors'} onClick={() => choose(dark.value ? 'light' : 'dark')}>
            {dark.value ? <Sun /> : <Moon />}
          </button>
        </Tools>
      </header>
      <Reconnect />
      <main id="main" class="shell__main" tabIndex={-1}>
        <Shown key={screen} screen={screen} />
      </main>
      <div aria-live="polite" role="status">
        {notice && (
          <p class={notice.bad ? 'shell__notice shell__notice--bad' : 'shell__notice'}>
            {notice.text}
            <button type="button" class="button button--quiet button--icon" aria-label="Dismiss" onClick={() => (space.notice.value = null)}>
              <Cross />
            </button>
          </p>
        )}
      </div>
    </div>
  );
}

/** A screen; one that fails says so, and the others go on. */
function Shown({ screen }: { screen: Screen }) {
  const View = VIEWS[screen];
  const [failure, forget] = useErrorBoundary();
  if (failure === undefined) return <View />;
  return (
    <Empty title="This screen has failed">
      <p>It is a fault of the workbench, not yours ({String(failure)}). What you typed is kept: undo the last change, go to another screen, or try again.</p>
      <button type="button" class="button button--primary" onClick={forget}>
        Try again
      </button>
    </Empty>
  );
}
