import { useMemo } from 'react';
import { encode } from 'uqr';

/** Always dark on light, so that phones can scan it in either theme. */
export function QrCode({ text, label }: { text: string; label: string }) {
  const { size, data } = useMemo(() => encode(text, { border: 2 }), [text]);
  const path = data.flatMap((row, y) => row.map((dark, x) => (dark ? `M${x} ${y}h1v1h-1z` : ''))).join('');
  return (
    <svg className="qr-code" viewBox={`0 0 ${size} ${size}`} role="img" aria-label={label}>
      <rect width={size} height={size} className="qr-ground" />
      <path d={path} className="qr-ink" />
    </svg>
  );
}
