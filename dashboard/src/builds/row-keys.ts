import { useMemo, useRef } from 'react';
import type { Build } from '../api/builds.js';
import { useCommands } from '../shell/commands.js';

export function useRowSteps(): void {
  useCommands(STEPS);
}

export function useCancelKey(listAll: () => Build[], onCancel: (build: Build) => void): void {
  const latest = useRef(listAll);
  latest.current = listAll;
  useCommands(
    useMemo(
      () => [
        {
          id: 'builds-cancel',
          label: 'Cancel the selected build',
          group: 'Builds',
          keys: 'x',
          perform: () => {
            const id = rowOf(document.activeElement)?.dataset['build'];
            const build = latest.current().find(({ build_id }) => build_id === id);
            if (build && !build.finished_at && !build.cancel_requested_at) onCancel(build);
          },
        },
      ],
      [onCancel],
    ),
  );
}

const STEPS = [
  { id: 'builds-next', label: 'Next build', group: 'Builds', keys: 'j', perform: () => step(1) },
  { id: 'builds-before', label: 'Previous build', group: 'Builds', keys: 'k', perform: () => step(-1) },
];

const rowOf = (element: Element | null) => element?.closest<HTMLElement>('[data-build]') ?? undefined;

function step(by: number): void {
  const rows = [...document.querySelectorAll<HTMLElement>('[data-build]')];
  const here = rowOf(document.activeElement);
  const at = here ? rows.indexOf(here) + by : 0;
  const link = rows[Math.min(Math.max(at, 0), rows.length - 1)]?.querySelector('a');
  link?.focus();
  link?.scrollIntoView({ block: 'nearest' });
}
