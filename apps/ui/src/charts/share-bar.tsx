/** Bar that shows a share of the total, beside its value. */
export function ShareBar({ share, color = "var(--color-meter)" }: { readonly share: number; readonly color?: string }) {
  return (
    <span
      aria-hidden="true"
      className="relative inline-block h-1 w-10 overflow-hidden rounded-[2px] bg-meter-track align-middle forced-color-adjust-none"
    >
      <span
        className="absolute inset-y-0 left-0 min-w-px rounded-[2px]"
        style={{ width: `${Math.min(1, Math.max(0, share)) * 100}%`, background: color }}
      />
    </span>
  );
}
