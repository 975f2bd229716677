import type { Build, BuildRisk } from '../../api/builds.js';
import { Badge, type Tone } from '../../ui/display.js';

const RISKY = 50;
const VERY_RISKY = 75;

const toneOf = (score: number): Tone => (score >= VERY_RISKY ? 'bad' : score >= RISKY ? 'warn' : 'plain');

const say = ({ reasons }: BuildRisk): string =>
  reasons.map(({ reason, points }) => `${reason} (${points})`).join(', ');

/** The risk as a badge; with `told`, the reasons are listed elsewhere. */
export function RiskMark({ build, told = false }: { build: Pick<Build, 'risk'>; told?: boolean }) {
  const { risk } = build;
  if (!risk) return null;
  const reasons = say(risk);
  return (
    <Badge tone={toneOf(risk.score)} title={reasons || `Risk ${risk.score} of 100`}>
      Risk {risk.score}
      {!told && reasons && <span className="off-screen">: {reasons}</span>}
    </Badge>
  );
}

export function RiskReasons({ build }: { build: Pick<Build, 'risk'> }) {
  const reasons = build.risk?.reasons ?? [];
  if (reasons.length === 0) return null;
  return (
    <ul className="risk-reasons small muted" aria-label="Risk factors">
      {[...reasons]
        .sort((one, other) => other.points - one.points)
        .map(({ reason, points }) => (
          <li key={reason}>
            {reason} <span className="numbers">+{points}</span>
          </li>
        ))}
    </ul>
  );
}
