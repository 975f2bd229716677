-- What these tables kept is counted where it is asked for: that takes milliseconds, and keeping them cost every write more. They were
-- never part of a release, so nodes of the version before read none of them.

-- allowed: no node of a released version reads these tables
drop function tally_card_weeks, tally_build_weeks, tally_memories, tally_conversations, tally_inbox_items, tally_lessons,
  tally_machine_updates, tally_workspaces cascade;
drop table card_weeks, build_weeks, memory_tallies, conversation_tallies, inbox_tallies, lesson_tallies, machine_update_tallies,
  workspace_tally, card_facets;
-- Made for the items that a tally could not know of.
drop index inbox_items_put_off;
drop function merge_build_weeks, merge_memory_tallies, merge_conversation_tallies, merge_inbox_tallies, facets_of_card, due_day;
