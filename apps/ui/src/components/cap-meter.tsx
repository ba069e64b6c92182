import { classes } from "./classes.ts";

/**
 * Bar that shows a share of a cap: hatched from 80%, red at the cap. Screen readers skip the bar and read the text
 * beside it.
 */
export function CapMeter(props: { readonly share: number; readonly title?: string; readonly className?: string }) {
  const { share, title, className } = props;
  return (
    <span
      aria-hidden
      title={title}
      className={classes("relative block h-1 overflow-hidden rounded-full bg-meter-track", className)}
    >
      <span
        className={classes(
          "absolute inset-y-0 left-0 rounded-full",
          share >= 1 ? "bg-danger" : share >= 0.8 ? "hatch-warning" : "bg-meter",
        )}
        style={{ width: `${share * 100}%` }}
      />
    </span>
  );
}
