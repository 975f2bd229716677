import { useMemo } from 'react';
import { usePages } from '../api/resource.js';
import { addressOfCard, findCards } from '../api/work.js';
import { navigate, usePlace } from '../shell/router.js';
import { Empty, Loaded, More } from '../ui/feedback.js';
import { WorkIcon } from '../ui/icons.js';
import { Page } from '../ui/page.js';
import { useRows } from '../ui/use-rows.js';
import { FilterBar } from './filter-bar.js';
import { type Filters, type Grouping, questionOf, readFilters, writeFilters } from './filters.js';
import { groupCards } from './grouping.js';
import { useDirectory } from './use-directory.js';
import { ViewBar } from './view-bar.js';
import { WorkRow } from './work-row.js';

/** Cards of all boards, by what the address says. */
export function WorkPage() {
  const { query } = usePlace();
  const { filters, group } = useMemo(() => readFilters(query), [query]);
  const directory = useDirectory();
  const address = writeFilters(filters, group);
  const found = usePages(
    `work:${address}`,
    (cursor, signal) => findCards(questionOf(filters), cursor, signal),
    { keep: true, pollMs: 15_000 },
  );
  const show = (next: Filters, by: Grouping) =>
    navigate(`/dashboard/work?${writeFilters(next, by)}`, { replace: true });

  const groups = useMemo(
    () =>
      groupCards(
        (found.data ?? []).flatMap((page) => page.items),
        group,
        directory.nameAgent,
      ),
    [found.data, group, directory],
  );
  const cards = groups.flatMap((each) => each.cards);
  const rows = useRows(cards.length, 'Work', [
    {
      label: 'Open the card',
      keys: 'o',
      perform: () => {
        const card = cards[rows.at];
        if (card) navigate(addressOfCard(card));
      },
    },
  ]);
  let place = 0;

  return (
    <Page wide title="Work" lead="Cards of all boards.">
      <ViewBar query={address} />
      <FilterBar filters={filters} group={group} directory={directory} onChange={show} />
      <Loaded of={found}>
        {(pages) =>
          cards.length === 0 ? (
            <Empty title="No cards here" icon={<WorkIcon size={28} />}>
              Nothing fits these filters. Choose another view, or take a filter away.
            </Empty>
          ) : (
            <div ref={rows.list as React.RefObject<HTMLDivElement>}>
              {groups.map((each) => (
                <section key={each.name} className="work-group" aria-label={each.name}>
                  <h2>
                    {each.name} <span className="count">{each.cards.length}</span>
                  </h2>
                  <ul className="rows">
                    {each.cards.map((card) => {
                      const at = place++;
                      return (
                        <WorkRow
                          key={card.id}
                          card={card}
                          place={at}
                          chosen={at === rows.at}
                          hide={{ status: group === 'status' }}
                          nameAgent={directory.nameAgent}
                        />
                      );
                    })}
                  </ul>
                </section>
              ))}
              <More
                shown={cards.length}
                total={pages[0]?.total}
                noun="cards"
                readMore={found.readMore}
                busy={found.readingMore}
              />
            </div>
          )
        }
      </Loaded>
    </Page>
  );
}
