import { classes } from "./classes.ts";

/** Placeholder for loading content: lines of text, or one block with its own size. */
export function Skeleton(props: { readonly lines?: number; readonly className?: string }) {
  if (props.lines === undefined) return <div aria-hidden className={classes(BLOCK, props.className)} />;
  return (
    <div aria-hidden className={classes("grid gap-3 p-4", props.className)}>
      {Array.from({ length: props.lines }, (_, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the lines are identical and never change order.
        <div key={index} className={classes(BLOCK, "h-4")} style={{ width: WIDTHS[index % WIDTHS.length] }} />
      ))}
    </div>
  );
}

const BLOCK = "bg-grid rounded-[4px]";
const WIDTHS = ["92%", "78%", "85%", "64%"];
