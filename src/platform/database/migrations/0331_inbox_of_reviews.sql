-- That a build failed or asks for a review is told once; what people say to it is told each time.
drop index inbox_items_once_a_build;
create unique index inbox_items_once_a_build on inbox_items (build_id, user_id, kind)
  where build_id is not null and kind in ('build_failed', 'review_asked');
