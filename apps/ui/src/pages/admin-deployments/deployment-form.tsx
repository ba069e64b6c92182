import { type FormEvent, useState } from "react";
import { client } from "../../api/client.ts";
import { useCall, useChange } from "../../api/queries.ts";
import { Button } from "../../components/button.tsx";
import { DetailPanel, DetailSection } from "../../components/detail-panel.tsx";
import { ErrorNotice } from "../../components/error-notice.tsx";
import { Skeleton } from "../../components/skeleton.tsx";
import {
  bodyOf,
  type DeploymentDraft,
  draftOf,
  emptyDraft,
  type Model,
  NEW_PROVIDER,
  problemOf,
} from "./deployment-draft.ts";
import type { Deployment } from "./filter-deployments.ts";
import { LimitsSection } from "./limits-section.tsx";
import { ModelSection } from "./model-section.tsx";
import { PriceSection } from "./price-section.tsx";
import { type Provider, ProviderSection } from "./provider-section.tsx";
import { TestCall } from "./test-call.tsx";

interface DeploymentFormProps {
  /** Deployment to edit; null to create a deployment. */
  readonly deployment: Deployment | null;
  readonly onClose: () => void;
}

/** Form to create or edit a deployment in the database, with a test request at the end. */
export function DeploymentForm({ deployment, onClose }: DeploymentFormProps) {
  const modelId = deployment?.modelId ?? null;
  const model = useCall("getModel", { params: { id: modelId ?? "" } }, { enabled: modelId !== null, staleMs: 0 });
  const providers = useCall("listAdminProviders", { query: { pageSize: 100, sort: "name" } });
  const title = deployment === null ? "Add deployment" : `Edit ${deployment.group}`;
  const isReady = providers.data !== undefined && (modelId === null || model.data !== undefined);
  if (!isReady) {
    const failed = providers.error ?? model.error;
    return (
      <DetailPanel title={title} onClose={onClose}>
        {failed === null ? <Skeleton lines={8} /> : <ErrorNotice error={failed} what="The form" />}
      </DetailPanel>
    );
  }
  return (
    <Form
      key={modelId}
      title={title}
      deployment={deployment}
      model={model.data?.model ?? null}
      providers={providers.data.data}
      onClose={onClose}
    />
  );
}

interface FormProps extends DeploymentFormProps {
  readonly title: string;
  readonly model: Model | null;
  readonly providers: readonly Provider[];
}

function Form({ title, deployment, model, providers, onClose }: FormProps) {
  const isNew = deployment === null || model === null;
  const [draft, setDraft] = useState<DeploymentDraft>(() => (isNew ? emptyDraft : draftOf(deployment, model)));
  const change = (part: Partial<DeploymentDraft>) => setDraft((before) => ({ ...before, ...part }));
  const kind =
    draft.provider === NEW_PROVIDER ? draft.kind : (providers.find(({ slug }) => slug === draft.provider)?.kind ?? "");
  const catalog = useCall("listKnownModels", { query: kind === "" ? {} : { kind } }, { staleMs: 600_000 });
  const known = catalog.data?.models ?? [];
  const price = known.find((each) => each.model === draft.model)?.pricing ?? null;
  const save = useSave();
  const problem = problemOf(draft, isNew);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (problem === null && !save.isBusy) void save.send(draft, { modelId: deployment?.modelId ?? null, price });
  };
  if (save.savedId !== null) {
    return <Saved title={title} id={save.savedId} onClose={onClose} onAgain={isNew ? save.again : null} />;
  }
  return (
    <DetailPanel
      title={title}
      subtitle="The deployment is stored in the database. Gateways start using it within a second."
      onClose={onClose}
      footer={
        <span className="ml-auto flex gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button
            type="submit"
            form="deployment-form"
            variant="primary"
            busy={save.isBusy}
            isReasonShown
            disabledReason={problem}
          >
            {isNew ? "Add and test" : "Save and test"}
          </Button>
        </span>
      }
    >
      <form id="deployment-form" onSubmit={submit}>
        <ProviderSection draft={draft} change={change} providers={providers} kinds={catalog.data?.kinds ?? []} />
        <ModelSection draft={draft} change={change} known={known} isNew={isNew} />
        <PriceSection
          draft={draft}
          change={change}
          known={price}
          current={deployment?.pricing ?? null}
          pricesAsOf={catalog.data?.pricesAsOf ?? null}
        />
        <LimitsSection draft={draft} change={change} />
      </form>
    </DetailPanel>
  );
}

interface SavedProps {
  readonly title: string;
  readonly id: string;
  readonly onClose: () => void;
  readonly onAgain: (() => void) | null;
}

function Saved({ title, id, onClose, onAgain }: SavedProps) {
  const list = useCall("listDeployments");
  const deployment = list.data?.deployments.find(({ modelId }) => modelId === id) ?? null;
  return (
    <DetailPanel
      title={title}
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>Done</Button>
          {onAgain !== null && <Button onClick={onAgain}>Add another</Button>}
        </>
      }
    >
      <DetailSection title={`${id} saved`} note="send a test request">
        {deployment === null ? <Skeleton lines={2} /> : <TestCall id={deployment.id} isAtOnce />}
      </DetailSection>
    </DetailPanel>
  );
}

type KnownPrice = Parameters<typeof bodyOf>[2];

/** Saves the provider, API key, and model, in that order. A new provider remains even if the model is rejected. */
function useSave() {
  const [savedId, setSavedId] = useState<string | null>(null);
  const touched = { invalidates: ["listDeployments", "listAdminProviders", "getRouting", "listHubModels"] } as const;
  const create = useChange("createModel", { ...touched, onDone: ({ model }) => setSavedId(model.id) });
  const update = useChange("updateModel", { ...touched, onDone: ({ model }) => setSavedId(model.id) });
  const provide = useChange("createProvider", { invalidates: ["listAdminProviders"] });
  const renew = useChange("updateProvider", { invalidates: ["listAdminProviders"] });
  const send = async (draft: DeploymentDraft, { modelId, price }: { modelId: string | null; price: KnownPrice }) => {
    const provider = await writeProvider(draft);
    if (provider === null) return;
    const body = bodyOf(draft, modelId === null, price);
    if (modelId !== null) return update.mutate({ params: { id: modelId }, body: { ...body, provider } });
    create.mutate({ body: { ...body, provider, inferenceModelId: draft.model.trim(), id: draft.id.trim() } });
  };
  const writeProvider = async (draft: DeploymentDraft): Promise<string | null> => {
    const apiKey = draft.apiKey.trim();
    try {
      if (draft.provider === NEW_PROVIDER) return (await makeProvider(draft, apiKey)).slug;
      if (apiKey === "") return draft.provider;
      const { data } = await client.call("listAdminProviders", { query: { search: draft.provider, pageSize: 100 } });
      const id = data.find(({ slug }) => slug === draft.provider)?.id ?? draft.provider;
      await renew.mutateAsync({ params: { id }, body: { apiKey } });
      return draft.provider;
    } catch {
      // The failure was already reported in a toast.
      return null;
    }
  };
  const makeProvider = async ({ slug, kind, baseUrl }: DeploymentDraft, apiKey: string) => {
    const { data } = await client.call("listAdminProviders", { query: { search: slug, pageSize: 100 } });
    // Reuse a provider that an earlier attempt created.
    const made = data.find((each) => each.slug === slug && each.kind === kind);
    if (made !== undefined) return made;
    const body = { slug, kind, ...(baseUrl !== "" && { baseUrl }), ...(apiKey !== "" && { apiKey }) };
    return (await provide.mutateAsync({ body })).provider;
  };
  return {
    savedId,
    send,
    again: () => setSavedId(null),
    isBusy: create.isPending || update.isPending || provide.isPending || renew.isPending,
  };
}
