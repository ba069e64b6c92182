import { ButtonLink } from "../../components/button.tsx";
import { DetailPanel } from "../../components/detail-panel.tsx";
import { Kbd } from "../../components/kbd.tsx";
import { Loaded } from "../../components/loaded.tsx";
import type { Call } from "../../components/logged-call.ts";
import { Skeleton } from "../../components/skeleton.tsx";
import { NARROW, useMedia } from "../../components/use-media.ts";
import { CallActions, CallSections, CallSubtitle, CallTitle } from "./call-detail.tsx";
import { useCallDetail } from "./use-call-detail.ts";

interface CallPanelProps {
  readonly callId: string;
  /** List row that the panel was opened from. Its data is shown until the details are loaded. */
  readonly row: Call | undefined;
  readonly onClose: () => void;
  readonly onPrevious: (() => void) | undefined;
  readonly onNext: (() => void) | undefined;
}

/** Details of a request beside the list. */
export function CallPanel({ callId, row, onClose, onPrevious, onNext }: CallPanelProps) {
  const isNarrow = useMedia(NARROW);
  const answer = useCallDetail(callId);
  // While the next request is loading, the query still returns the previous request.
  const log = answer.data?.log.id === callId || answer.data?.log.requestId === callId ? answer.data.log : undefined;
  const call = log ?? row;
  return (
    <DetailPanel
      title={call === undefined ? "Request" : <CallTitle call={call} />}
      subtitle={call === undefined ? undefined : <CallSubtitle call={call} />}
      actions={call === undefined || isNarrow ? undefined : <CallActions call={call} />}
      onClose={onClose}
      onPrevious={onPrevious}
      onNext={onNext}
      footer={
        <div className="flex w-full flex-wrap items-center gap-x-4 gap-y-1 text-meta text-muted">
          {call !== undefined && isNarrow && (
            <span className="flex gap-2">
              <CallActions call={call} />
            </span>
          )}
          <span className="inline-flex items-center gap-1.5 max-lg:hidden">
            <Kbd>j</Kbd> <Kbd>k</Kbd> next or previous
          </span>
          <span className="inline-flex items-center gap-1.5 max-lg:hidden">
            <Kbd>esc</Kbd> close
          </span>
          <span className="ml-auto">
            <ButtonLink size="sm" variant="ghost" to="/logs/$callId" params={{ callId }}>
              Open full page
            </ButtonLink>
          </span>
        </div>
      }
    >
      <Loaded query={answer} what="This request" skeleton={<Skeleton lines={10} />}>
        {() => (log === undefined ? <Skeleton lines={10} /> : <CallSections log={log} />)}
      </Loaded>
    </DetailPanel>
  );
}
