import type { Workstation } from '../api/machines.js';
import { Badge } from '../ui/display.js';
import { openStep, STATE_TONES, STATE_WORDS } from './desk-words.js';

/** Shows a failed setup instead of a setup in progress. */
export function DeskStatus({ desk }: { desk: Workstation }) {
  if (desk.status === 'provisioning' && openStep(desk)?.state === 'failed')
    return <Badge tone="bad">setup failed</Badge>;
  return <Badge tone={STATE_TONES[desk.status]}>{STATE_WORDS[desk.status]}</Badge>;
}
