import { useCall } from "../../api/queries.ts";
import { ButtonLink } from "../../components/button.tsx";
import { Notice } from "../../components/notice.tsx";

/** Says that calls are refused for want of credit, and what still works. */
export function BlockedNotice() {
  const burn = useCall("getBurn", {}, { staleMs: 10_000 });
  if (burn.data === undefined || burn.data.burn.blockedSince === null) return null;
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
      Models that cost something refuse calls. Simulated models, whose names begin with <code>sim/</code> and that are
      free, still answer, so that you can go on trying things here.
    </Notice>
  );
}
