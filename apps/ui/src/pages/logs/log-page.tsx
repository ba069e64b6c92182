import { useParams } from "@tanstack/react-router";
import { ButtonLink } from "../../components/button.tsx";
import { Loaded } from "../../components/loaded.tsx";
import { Page } from "../../components/page.tsx";
import { Panel } from "../../components/panel.tsx";
import { CallActions, CallSections, CallSubtitle, CallTitle } from "./call-detail.tsx";
import { useCallDetail } from "./use-call-detail.ts";

/** Page for a single request, used by shared links. */
export function LogPage() {
  const { callId = "" } = useParams({ strict: false });
  const answer = useCallDetail(callId);
  return (
    <Page
      title="Request"
      action={
        <>
          {answer.data !== undefined && <CallActions call={answer.data.log} />}
          <ButtonLink to="/logs" size="sm">
            All logs
          </ButtonLink>
        </>
      }
    >
      <Loaded query={answer} what="This request">
        {({ log }) => (
          <Panel flush>
            <div className="grid gap-1 border-b border-border px-5 py-3 max-sm:px-4">
              <CallTitle call={log} />
              <div className="text-meta text-muted">
                <CallSubtitle call={log} />
              </div>
            </div>
            <CallSections log={log} />
          </Panel>
        )}
      </Loaded>
    </Page>
  );
}
