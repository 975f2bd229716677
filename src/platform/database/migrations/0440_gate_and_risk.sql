-- What a change says to somebody who has seen many: notes that hold nothing, and how much of a risk it is.

alter table builds
  add column gate jsonb,
  -- {score, reasons}; the score apart, since lists are ordered by it.
  add column risk jsonb,
  add column risk_score smallint,
  -- When it is to be examined; null when there is nothing to examine.
  add column examine_at timestamptz,
  add column examine_tries integer not null default 0;

-- allowed: builds are few beside what they leave behind, and the indexes are small
create index builds_to_examine on builds (examine_at) where examine_at is not null;
-- allowed: as above
create index builds_by_risk on builds (brand_id, (coalesce(risk_score, -1::smallint)) desc, build_id desc);
-- allowed: as above
create index builds_to_review_by_risk on builds (brand_id, (coalesce(risk_score, -1::smallint)) desc, build_id desc)
  where outcome = 'succeeded' and accepted_at is null and reworked_at is null;
