import { classes } from "./classes.ts";

/** The place of what is on its way: some lines of text, or one block with a size of its own. */
export function Skeleton(props: { readonly lines?: number; readonly className?: string }) {
  if (props.lines === undefined) return <div aria-hidden className={classes(BLOCK, props.className)} />;
  return (
    <div aria-hidden className={classes("grid gap-3 p-4", props.className)}>
      {Array.from({ length: props.lines }, (_, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the lines are all alike and never change places.
        <div key={index} className={classes(BLOCK, "h-4")} style={{ width: WIDTHS[index % WIDTHS.length] }} />
      ))}
    </div>
  );
}

const BLOCK = "bg-grid rounded-[4px]";
const WIDTHS = ["92%", "78%", "85%", "64%"];
