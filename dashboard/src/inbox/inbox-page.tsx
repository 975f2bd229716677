import { useEffect, useMemo, useRef, useState } from 'react';
import { addressOfItem, finishItems, type InboxItem, type InboxState, listInbox } from '../api/inbox.js';
import { refresh, usePages } from '../api/resource.js';
import { useCommands } from '../shell/commands.js';
import { navigate, usePlace } from '../shell/router.js';
import { Button } from '../ui/button.js';
import { Confirm } from '../ui/dialog.js';
import { Empty, Loaded, More } from '../ui/feedback.js';
import { ClockIcon, InboxIcon } from '../ui/icons.js';
import { Menu } from '../ui/menu.js';
import { Page, Tabs } from '../ui/page.js';
import { useRows } from '../ui/use-rows.js';
import { InboxFilterBar, readInboxFilter } from './filter-bar.js';
import { InboxRow } from './inbox-row.js';
import { SnoozeDialog, snoozeItems } from './snooze.js';
import { useInboxActions } from './use-inbox-actions.js';
import { useSelection } from './use-selection.js';

const PAGE = 50;

const STATES: readonly InboxState[] = ['open', 'snoozed', 'done'];

const NOTHING: Record<string, { title: string; words: string }> = {
  open: {
    title: 'All done',
    words: 'Assigned cards, mentions, failed builds and reviews appear here.',
  },
  snoozed: { title: 'Nothing is snoozed', words: 'Snoozed items return automatically.' },
  done: { title: 'Nothing here yet', words: 'Finished items are kept for 90 days.' },
};

export function InboxPage() {
  const { query } = usePlace();
  const state = STATES.find((each) => each === query.get('state')) ?? 'open';
  const filter = useMemo(() => readInboxFilter(query), [query]);
  const [asking, setAsking] = useState(false);
  const [snoozing, setSnoozing] = useState<InboxItem[]>();
  const pages = usePages(
    `inbox:${state}:${JSON.stringify(filter)}`,
    (cursor, signal) => listInbox({ ...filter, state, limit: PAGE }, cursor, signal),
    { keep: true },
  );
  const items = pages.data?.flatMap((page) => page.items) ?? [];
  const actions = useInboxActions();
  const selection = useSelection(items);
  const meant = (): InboxItem[] =>
    selection.chosen.length > 0 ? selection.chosen : items.slice(rows.at, rows.at + 1);
  const rows = useRows(items.length, 'Inbox', [
    { label: 'Open', keys: 'o', perform: () => open(items[rows.at], actions.read) },
    { label: 'Done, or reopen', keys: 'e', perform: () => finish(meant()) },
    { label: 'Read, or unread', keys: 'u', perform: () => void actions.toggleRead(meant()) },
    { label: 'Snooze', keys: 's', perform: () => openSnoozeMenu(selection.chosen.length > 0, rows.at) },
    { label: 'Select', keys: 'x', perform: () => selection.toggle(rows.at) },
  ]);
  useSelectionKeys(selection);

  const leaving = useRef<number>(undefined);
  function leave(place = rows.at) {
    leaving.current = place;
    selection.clear();
  }
  function finish(wanted: InboxItem[], place?: number) {
    if (wanted.length === 0) return;
    leave(place);
    void actions.toggleDone(wanted);
  }
  function snooze(wanted: InboxItem[], until: Date | null, place?: number) {
    leave(place);
    void actions.snooze(wanted, until);
  }
  // After an item has left the list, focus the next one.
  const { length } = items;
  const { choose } = rows;
  useEffect(() => {
    if (leaving.current !== undefined) choose(Math.min(leaving.current, length - 1));
    leaving.current = undefined;
  }, [length, choose]);

  const first = pages.data?.[0];
  const isNarrowed = Object.keys(filter).length > 0;
  return (
    <Page
      wide
      title="Inbox"
      lead="Assigned cards, mentions, failed builds and reviews."
      actions={
        state === 'open' &&
        !isNarrowed &&
        items.length > 0 && <Button onClick={() => setAsking(true)}>Mark all as done</Button>
      }
    >
      <Tabs
        label="Inbox"
        tabs={[
          { to: addressOf('open'), label: withCount('Open', first?.total_open), current: state === 'open' },
          {
            to: addressOf('snoozed'),
            label: withCount('Snoozed', first?.total_snoozed),
            current: state === 'snoozed',
          },
          { to: addressOf('done'), label: 'Done', current: state === 'done' },
        ]}
      />
      <InboxFilterBar filter={filter} />
      {selection.chosen.length > 0 && (
        <div className="selection-bar" role="toolbar" aria-label="Selected items">
          <strong role="status">{selection.chosen.length} selected</strong>
          <Button small onClick={() => finish(selection.chosen)}>
            {state === 'done' ? 'Reopen' : 'Done'}
          </Button>
          <Button small onClick={() => void actions.toggleRead(selection.chosen)}>
            {selection.chosen.some(({ read_at }) => !read_at) ? 'Mark as read' : 'Mark as unread'}
          </Button>
          <Menu
            label="Snooze the selected items"
            icon={<ClockIcon size={16} />}
            items={() =>
              snoozeItems(
                {
                  onSnooze: (until) => snooze(selection.chosen, until),
                  onAsk: () => setSnoozing(selection.chosen),
                },
                state === 'snoozed',
              )
            }
          />
          <Button small tone="quiet" onClick={selection.clear}>
            Clear
          </Button>
        </div>
      )}
      <Loaded of={pages}>
        {() =>
          items.length === 0 ? (
            <Empty
              title={isNarrowed ? 'No items match these filters' : NOTHING[state]!.title}
              icon={<InboxIcon size={28} />}
            >
              {!isNarrowed && NOTHING[state]!.words}
            </Empty>
          ) : (
            <>
              <ul className="rows" ref={rows.list as React.RefObject<HTMLUListElement>}>
                {items.map((item, place) => (
                  <InboxRow
                    key={item.item_id}
                    item={item}
                    place={place}
                    chosen={place === rows.at}
                    selected={selection.has(item.item_id)}
                    onSelect={(toHere) => selection.toggle(place, toHere)}
                    onOpen={() => actions.read(item)}
                    onDone={() => finish([item], place)}
                    snoozeItems={() =>
                      snoozeItems(
                        {
                          onSnooze: (until) => snooze([item], until, place),
                          onAsk: () => setSnoozing([item]),
                        },
                        state === 'snoozed',
                      )
                    }
                  />
                ))}
              </ul>
              <More
                shown={items.length}
                total={state === 'open' && !isNarrowed ? first?.total_open : undefined}
                noun="items"
                readMore={pages.readMore}
                busy={pages.readingMore}
              />
            </>
          )
        }
      </Loaded>
      {snoozing && (
        <SnoozeDialog onSnooze={(until) => snooze(snoozing, until)} onClose={() => setSnoozing(undefined)} />
      )}
      {asking && (
        <Confirm
          title="Mark all as done?"
          submit="Mark all as done"
          tone="primary"
          onClose={() => setAsking(false)}
          perform={async () => {
            await finishItems();
            refresh('inbox:');
          }}
        >
          <p>
            {first?.total_open === 1 ? 'The open item moves' : `All ${first?.total_open} open items move`} to
            Done, where everything can be reopened.
          </p>
        </Confirm>
      )}
    </Page>
  );
}

const addressOf = (state: InboxState): string =>
  state === 'open' ? '/dashboard/inbox' : `/dashboard/inbox?state=${state}`;

const withCount = (label: string, count: number | undefined): string => (count ? `${label} ${count}` : label);

function useSelectionKeys(selection: ReturnType<typeof useSelection>): void {
  const latest = useRef(selection);
  latest.current = selection;
  useCommands(
    useMemo(
      () => [
        {
          id: 'inbox-all',
          label: 'Select all',
          group: 'Inbox',
          keys: 'mod+a',
          perform: () => latest.current.chooseAll(),
        },
        {
          id: 'inbox-none',
          label: 'Select none',
          group: 'Inbox',
          keys: 'Escape',
          perform: () => latest.current.clear(),
        },
      ],
      [],
    ),
  );
}

function openSnoozeMenu(several: boolean, place: number): void {
  const where = several ? '.selection-bar' : `[data-row="${place}"]`;
  document.querySelector<HTMLElement>(`${where} .menu button`)?.click();
}

function open(item: InboxItem | undefined, read: (item: InboxItem) => void): void {
  const address = item && addressOfItem(item);
  if (!address) return;
  read(item);
  navigate(address);
}
