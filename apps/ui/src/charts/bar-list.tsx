export interface Bar {
  readonly key: string;
  readonly label: string;
  readonly value: number;
  readonly color: string;
}

/** Horizontal bars on a scale from zero to the largest value. */
export function BarList({
  bars,
  format,
}: {
  readonly bars: readonly Bar[];
  readonly format: (value: number) => string;
}) {
  const largest = Math.max(...bars.map(({ value }) => value), 0);
  return (
    <ul className="grid gap-1.5 text-meta">
      {bars.map(({ key, label, value, color }) => (
        <li key={key} className="grid grid-cols-[minmax(0,40%)_minmax(0,1fr)_auto] items-center gap-3">
          <span className="wrap-anywhere">{label}</span>
          <span aria-hidden className="h-2 rounded-[2px] bg-meter-track forced-color-adjust-none">
            <span
              className="block h-full min-w-px rounded-[2px]"
              style={{ width: `${largest === 0 ? 0 : (value / largest) * 100}%`, background: color }}
            />
          </span>
          <span className="min-w-14 text-right">{format(value)}</span>
        </li>
      ))}
    </ul>
  );
}
