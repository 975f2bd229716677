import { useEffect, useRef, useState } from 'react';
import { addressOfItem, finishItems, type InboxItem, type InboxState, listInbox } from '../api/inbox.js';
import { refresh, usePages } from '../api/resource.js';
import { navigate, usePlace } from '../shell/router.js';
import { Button } from '../ui/button.js';
import { Confirm } from '../ui/dialog.js';
import { Empty, Loaded, More } from '../ui/feedback.js';
import { InboxIcon } from '../ui/icons.js';
import { Page, Tabs } from '../ui/page.js';
import { useRows } from '../ui/use-rows.js';
import { InboxRow } from './inbox-row.js';
import { useInboxDeeds } from './use-deeds.js';

const PAGE = 50;

/** What somebody or something wants of this person, sorted out with one key each. */
export function InboxPage() {
  const { query } = usePlace();
  const state: InboxState = query.get('state') === 'done' ? 'done' : 'open';
  const [asking, setAsking] = useState(false);
  const pages = usePages(`inbox:${state}`, (cursor, signal) => listInbox(state, PAGE, cursor, signal), {
    keep: true,
  });
  const items = pages.data?.flatMap((page) => page.items) ?? [];
  const deeds = useInboxDeeds();
  const chosen = () => items[rows.at];
  const rows = useRows(items.length, 'Inbox', [
    { label: 'Open', keys: 'o', perform: () => open(chosen(), deeds.read) },
    { label: 'Done, or reopen', keys: 'e', perform: () => finish() },
    { label: 'Read, or unread', keys: 'u', perform: () => deeds.toggleRead(chosen()) },
  ]);

  const leaving = useRef<number>(undefined);
  function finish(item = chosen(), place = rows.at) {
    if (!item) return;
    leaving.current = place;
    void deeds.toggleDone(item);
  }
  // Once an item has left the list, the focus goes to what came after it.
  const { length } = items;
  const { choose } = rows;
  useEffect(() => {
    if (leaving.current !== undefined) choose(Math.min(leaving.current, length - 1));
    leaving.current = undefined;
  }, [length, choose]);

  const totalOpen = pages.data?.[0]?.total_open;
  return (
    <Page
      title="Inbox"
      lead="Cards given to you, mentions, failed builds and reviews that wait for you."
      actions={
        state === 'open' && items.length > 0 && <Button onClick={() => setAsking(true)}>Done with all</Button>
      }
    >
      <Tabs
        label="Inbox"
        tabs={[
          {
            to: '/dashboard/inbox',
            label: totalOpen ? `Open ${totalOpen}` : 'Open',
            current: state === 'open',
          },
          { to: '/dashboard/inbox?state=done', label: 'Done', current: state === 'done' },
        ]}
      />
      <Loaded of={pages}>
        {() =>
          items.length === 0 ? (
            <Empty title={state === 'open' ? 'All done' : 'Nothing here yet'} icon={<InboxIcon size={28} />}>
              {state === 'open'
                ? 'When somebody gives you a card, mentions you, or a build wants your eyes, it stands here.'
                : 'What you are done with is kept here for 90 days.'}
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
                    onOpen={() => deeds.read(item)}
                    onDone={() => finish(item, place)}
                  />
                ))}
              </ul>
              <More
                shown={items.length}
                total={state === 'open' ? totalOpen : undefined}
                noun="items"
                readMore={pages.readMore}
                busy={pages.readingMore}
              />
            </>
          )
        }
      </Loaded>
      {asking && (
        <Confirm
          title="Done with everything?"
          submit="Done with all"
          tone="primary"
          onClose={() => setAsking(false)}
          perform={async () => {
            await finishItems();
            refresh('inbox:');
          }}
        >
          <p>
            {totalOpen === 1 ? 'The open item moves' : `All ${totalOpen} open items move`} to Done, where
            everything can be reopened.
          </p>
        </Confirm>
      )}
    </Page>
  );
}

function open(item: InboxItem | undefined, read: (item: InboxItem) => void): void {
  const address = item && addressOfItem(item);
  if (!address) return;
  read(item);
  navigate(address);
}
