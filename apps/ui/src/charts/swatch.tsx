/** Square that shows the color of an entity on this page. */
export function Swatch({ color }: { readonly color: string }) {
  return (
    <span
      aria-hidden="true"
      className="inline-block size-2.5 shrink-0 rounded-[2px] forced-color-adjust-none"
      style={{ background: color }}
    />
  );
}
