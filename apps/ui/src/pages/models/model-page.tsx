import { useParams } from "@tanstack/react-router";
import { useCall } from "../../api/queries.ts";
import { ButtonLink } from "../../components/button.tsx";
import { EmptyState } from "../../components/empty-state.tsx";
import { Loaded } from "../../components/loaded.tsx";
import { Page } from "../../components/page.tsx";
import { Panel } from "../../components/panel.tsx";
import { nameMode } from "../../format/model-names.ts";
import { useIsSignedIn } from "../../shell/frame.tsx";
import { ModelActions } from "./model-actions.tsx";
import { ModelDetail } from "./model-detail.tsx";

/** Page for a model. The URL path after the hub's path is the model name, including slashes. */
export function ModelPage() {
  const { _splat: id = "" } = useParams({ strict: false });
  const isSignedIn = useIsSignedIn();
  const hub = useCall("listHubModels", {}, { staleMs: 60_000 });
  const model = hub.data?.models.find((each) => each.id === id);
  return (
    <Page
      title={id}
      note={model && nameMode(model.mode)}
      action={model && <ModelActions model={model} isSignedIn={isSignedIn} isPage />}
    >
      <Loaded query={hub} what="The model hub">
        {() =>
          model === undefined ? (
            <EmptyState title="Model not found" action={<ButtonLink to="/model_hub_table">All models</ButtonLink>}>
              {id} doesn't exist, or you need to sign in to see it.
            </EmptyState>
          ) : (
            <Panel flush>
              <ModelDetail model={model} isSignedIn={isSignedIn} />
            </Panel>
          )
        }
      </Loaded>
    </Page>
  );
}
