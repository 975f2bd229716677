import { useEffect } from 'react';
import { useResource } from '../api/resource.js';
import { addressOfHit, findCardByRef } from '../api/search.js';
import { Link, navigate } from '../shell/router.js';
import { Empty, Loaded } from '../ui/feedback.js';
import { Page } from '../ui/page.js';

export function CardByRefPage({ cardRef }: { cardRef: string }) {
  const card = useResource(`card-by-ref:${cardRef}`, (signal) => findCardByRef(cardRef, signal));
  const address = card.data && addressOfHit(card.data);
  useEffect(() => {
    if (address) navigate(address, { replace: true });
  }, [address]);
  return (
    <Page title={cardRef.toUpperCase()}>
      <Loaded of={card}>
        {(found) =>
          found === null && (
            <Empty
              title={`There is no card ${cardRef.toUpperCase()} that you can open`}
              action={
                <Link to={`/dashboard/search?q=${encodeURIComponent(cardRef)}`}>
                  Search everything for these words
                </Link>
              }
            />
          )
        }
      </Loaded>
    </Page>
  );
}
