import { ArrowUp } from "lucide-react";
import { Button } from "../../components/button.tsx";
import { plural } from "../../format/plural.ts";

interface LiveNoticeProps {
  readonly tail: {
    readonly rows: readonly unknown[];
    readonly heldCount: number;
    readonly skippedCount: number;
    readonly isConnected: boolean;
    readonly release: () => void;
  };
}

/** Status of the live tail: streaming, paused while the user reads, or disconnected. */
export function LiveNotice({ tail }: LiveNoticeProps) {
  const { heldCount, skippedCount, isConnected, release } = tail;
  const show = () => {
    document.getElementById("content")?.scrollTo({ top: 0 });
    release();
  };
  return (
    <div
      role="status"
      className="sticky top-2 z-10 flex min-h-9 flex-wrap items-center gap-x-3 gap-y-1 rounded-control border border-border bg-surface px-3 py-1 text-table"
    >
      <span
        aria-hidden
        className={`size-2 rounded-full ${isConnected ? "bg-accent motion-safe:animate-pulse" : "inset-ring-[1.5px] inset-ring-outline"}`}
      />
      <span>
        {!isConnected
          ? "Connecting to the live tail"
          : heldCount > 0
            ? "Paused while you scroll"
            : "Live: requests appear as they finish"}
      </span>
      {skippedCount > 0 && (
        <span className="text-muted">
          {plural(skippedCount, "request")} arrived too fast to show live. The logs include them.
        </span>
      )}
      {heldCount > 0 && (
        <span className="ml-auto">
          <Button size="sm" icon={<ArrowUp size={14} strokeWidth={1.5} aria-hidden />} onClick={show}>
            {plural(heldCount, "new row")}
          </Button>
        </span>
      )}
    </div>
  );
}
