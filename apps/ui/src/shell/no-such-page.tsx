import { ButtonLink } from "../components/button.tsx";
import { EmptyState } from "../components/empty-state.tsx";
import { Page } from "../components/page.tsx";
import { Panel } from "../components/panel.tsx";

/** Shown for unknown URLs. */
export function NoSuchPage() {
  return (
    <Page title="Page not found">
      <Panel flush>
        <EmptyState title="No page has this URL" action={<ButtonLink to="/">Go to Home</ButtonLink>}>
          The page may have moved, or the URL may be incomplete.
        </EmptyState>
      </Panel>
    </Page>
  );
}
