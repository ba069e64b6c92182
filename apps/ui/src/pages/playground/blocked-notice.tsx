import { useCall } from "../../api/queries.ts";
import { ButtonLink } from "../../components/button.tsx";
import { Notice } from "../../components/notice.tsx";

/** Explains that requests are refused for insufficient credit, and says what still works. */
export function BlockedNotice() {
  const burn = useCall("getBurnRate", {}, { staleMs: 10_000 });
  if (burn.data === undefined) return null;
  const { blockedTeams, available } = burn.data.burn;
  if (blockedTeams === 0 && available > 0n) return null;
  // The banner above already shows when the teams were blocked and how to unblock them.
  if (blockedTeams > 0) {
    return (
      <Notice tone="neutral">
        Blocked teams' keys can't call any model, including simulated ones. You can still write prompts, count tokens,
        estimate costs, view code, and save drafts.
      </Notice>
    );
  }
  return (
    <Notice
      tone="warning"
      title="Out of credit."
      action={
        <ButtonLink to="/credits" size="sm">
          Buy credits
        </ButtonLink>
      }
    >
      Requests to paid models are refused. Free models, including simulated ones, still work.
    </Notice>
  );
}
