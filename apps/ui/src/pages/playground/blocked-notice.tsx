import { useCall } from "../../api/queries.ts";
import { ButtonLink } from "../../components/button.tsx";
import { Notice } from "../../components/notice.tsx";

/** Says that calls are refused for want of credit, and what still works. */
export function BlockedNotice() {
  const burn = useCall("getBurn", {}, { staleMs: 10_000 });
  if (burn.data === undefined) return null;
  const { blockedTeams, available } = burn.data.burn;
  if (blockedTeams === 0 && available > 0n) return null;
  // The banner above says since when, and how to unblock.
  if (blockedTeams > 0) {
    return (
      <Notice tone="neutral">
        Keys of blocked teams call no model, simulated ones included. You can still write, count tokens, see what a call
        would cost, read it as code and keep drafts.
      </Notice>
    );
  }
  return (
    <Notice
      tone="warning"
      title="Credit has run out."
      action={
        <ButtonLink to="/credits" size="sm">
          Buy credits
        </ButtonLink>
      }
    >
      Models that cost something refuse calls. Simulated models and others that are free still answer, so that you can
      go on trying things here.
    </Notice>
  );
}
