import { Badge, type Tone } from '../ui/display.js';

const TONES: Record<string, Tone> = {
  ready: 'good',
  provisioning: 'info',
  unreachable: 'bad',
  suspended: 'warn',
};

export function DeskStatus({ status }: { status: string }) {
  return <Badge tone={TONES[status] ?? 'plain'}>{status}</Badge>;
}
