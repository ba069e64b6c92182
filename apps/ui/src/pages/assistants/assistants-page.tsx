import { useNavigate } from "@tanstack/react-router";
import { Plus } from "lucide-react";
import { type FormEvent, useState } from "react";
import { useConfig } from "../../api/config.ts";
import { useKeys } from "../../api/use-keys.ts";
import { Button, ButtonLink } from "../../components/button.tsx";
import { CodeBlock } from "../../components/code-block.tsx";
import { type Column, DataTable } from "../../components/data-table.tsx";
import { EmptyState } from "../../components/empty-state.tsx";
import { TextInput } from "../../components/inputs.tsx";
import { KeyPicker } from "../../components/key-picker.tsx";
import { Loaded } from "../../components/loaded.tsx";
import { Page } from "../../components/page.tsx";
import { Panel } from "../../components/panel.tsx";
import { Time } from "../../components/time.tsx";
import { useSearchState } from "../../router-search.ts";
import { useCreateShortcut } from "../../shell/shortcuts.ts";
import { AssistantForm } from "./assistant-form.tsx";
import { AssistantLimits } from "./assistant-limits.tsx";
import { type Assistant, type Listed, momentOf } from "./assistant-objects.ts";
import { AssistantPanel } from "./assistant-panel.tsx";
import { MigrationNotice } from "./migration-notice.tsx";
import { nameTool } from "./tool-list.tsx";
import { useGateway } from "./use-gateway.ts";

const PAGE_SIZE = 50;
/** `form`: ID of the assistant to edit, or `new`. `after`: cursor of the list page. */
const defaults = { key: "", open: "", form: "", after: "" } as const;

/** Page with the assistants that the selected key's team owns. */
export function AssistantsPage() {
  const [state, set] = useSearchState(defaults);
  const { query: keyQuery, keys } = useKeys();
  const keyId = keys.some(({ id }) => id === state.key) ? state.key : (keys[0]?.id ?? "");
  const after = state.after === "" ? "" : `&after=${encodeURIComponent(state.after)}`;
  const list = useGateway<Listed<Assistant>>(keyId, `/v1/assistants?limit=${PAGE_SIZE}${after}`);
  const shown = list.data?.data ?? [];
  const open = shown.find(({ id }) => id === state.open) ?? null;
  const edited = shown.find(({ id }) => id === state.form) ?? null;
  useCreateShortcut(() => set({ form: "new" }));
  if (keyQuery.data !== undefined && keys.length === 0) return <NoKey />;
  return (
    <Page
      title="Assistants"
      wide
      action={
        <Button
          variant="primary"
          icon={<Plus size={16} strokeWidth={1.75} />}
          disabledReason={keyId === "" ? "Create an API key first" : null}
          onClick={() => set({ form: "new" })}
        >
          New assistant
        </Button>
      }
      filters={
        <div className="flex flex-wrap items-center gap-3">
          <span className="w-72 max-sm:w-full">
            <KeyPicker keys={keys} value={keyId} onValue={(key) => set({ key, open: "", after: "" })} />
          </span>
          <OpenThread keyId={keyId} />
        </div>
      }
    >
      <MigrationNotice />
      <Loaded query={keyQuery} what="Your keys">
        {() => (
          <>
            <Panel flush>
              <Loaded query={list} what="Assistants">
                {({ has_more: hasMore, last_id: lastId }) => (
                  <DataTable
                    label="Assistants"
                    columns={columns}
                    rows={shown}
                    rowKey={({ id }) => id}
                    openKey={state.open}
                    onOpen={({ id }) => set({ open: id })}
                    card={(assistant) => <AssistantCard assistant={assistant} />}
                    footer={
                      (hasMore || state.after !== "") && (
                        <span className="flex gap-2">
                          <Button
                            size="sm"
                            disabledReason={state.after === "" ? "This is the first page" : null}
                            onClick={() => set({ after: "" })}
                          >
                            First page
                          </Button>
                          <Button
                            size="sm"
                            disabledReason={hasMore ? null : "This is the last page"}
                            onClick={() => set({ after: lastId ?? "" })}
                          >
                            Next page
                          </Button>
                        </span>
                      )
                    }
                    empty={<NoAssistants onCreate={() => set({ form: "new" })} />}
                  />
                )}
              </Loaded>
            </Panel>
            <AssistantLimits keyId={keyId} />
          </>
        )}
      </Loaded>
      {open !== null && (
        <AssistantPanel
          key={open.id}
          keyId={keyId}
          assistant={open}
          onClose={() => set({ open: "" })}
          onEdit={() => set({ form: open.id })}
        />
      )}
      {keyId !== "" && (state.form === "new" || edited !== null) && (
        <AssistantForm
          key={state.form}
          keyId={keyId}
          assistant={edited}
          onClose={() => set({ form: "" })}
          onSaved={({ id }) => set({ form: "", open: id, after: "" })}
        />
      )}
    </Page>
  );
}

const columns: readonly Column<Assistant>[] = [
  {
    id: "name",
    header: "Name",
    cell: ({ id, name }) => (
      <span className="block max-w-80 truncate">
        <span className="font-medium">{name ?? "Unnamed"}</span>{" "}
        <span className="font-mono text-meta text-muted">{id}</span>
      </span>
    ),
  },
  {
    id: "model",
    header: "Model",
    cell: ({ model }) => (
      <span className="block max-w-40 truncate font-mono text-meta" title={model}>
        {model}
      </span>
    ),
  },
  {
    id: "tools",
    header: "Tools",
    priority: 2,
    cell: ({ tools }) => (
      <span className="block max-w-56 truncate text-muted">
        {tools.length === 0 ? "None" : tools.map(nameTool).join(", ")}
      </span>
    ),
  },
  {
    id: "instructions",
    header: "Instructions",
    priority: 1,
    cell: ({ instructions }) => <span className="block max-w-72 truncate text-muted">{instructions ?? "None"}</span>,
  },
  {
    id: "created",
    header: "Created",
    priority: 3,
    cell: ({ created_at: createdAt }) => <Time at={momentOf(createdAt)} form="relative" />,
  },
];

function AssistantCard({ assistant: { name, model, id } }: { readonly assistant: Assistant }) {
  return (
    <>
      <span className="truncate font-medium">{name ?? "Unnamed"}</span>
      <span className="truncate font-mono text-meta text-muted">
        {model}, {id}
      </span>
    </>
  );
}

/** Opens a thread by ID because the API can't list threads. */
function OpenThread({ keyId }: { readonly keyId: string }) {
  const navigate = useNavigate();
  const [text, setText] = useState("");
  const [hasTried, setTried] = useState(false);
  const isId = /^thread_[A-Za-z0-9]+$/.test(text.trim());
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setTried(true);
    if (!isId) return;
    void navigate({
      to: "/threads/$threadId",
      params: { threadId: text.trim() },
      search: { key: keyId },
    });
  };
  return (
    <form onSubmit={submit} className="flex flex-wrap items-center gap-2 max-sm:w-full sm:ml-auto">
      <span className="w-64 max-sm:w-0 max-sm:grow">
        <TextInput
          mono
          aria-label="Thread ID"
          placeholder="thread_…"
          value={text}
          onChange={(event) => setText(event.target.value)}
          aria-invalid={hasTried && !isId ? true : undefined}
        />
      </span>
      <Button type="submit">Open thread</Button>
      <span aria-live="polite" className={hasTried && !isId ? "text-meta text-danger" : "sr-only"}>
        {hasTried && !isId ? "Thread IDs start with thread_." : null}
      </span>
    </form>
  );
}

function NoAssistants({ onCreate }: { readonly onCreate: () => void }) {
  const { apiUrl } = useConfig();
  return (
    <EmptyState
      title="No assistants yet"
      action={
        <Button variant="primary" onClick={onCreate}>
          New assistant
        </Button>
      }
      code={
        <CodeBlock
          tabs={[
            {
              label: "Python",
              code: `client = OpenAI(base_url="${apiUrl}/v1", api_key=os.environ["TOLLGATE_API_KEY"])\nclient.beta.assistants.create(model="sim/echo", name="Support")`,
            },
          ]}
        />
      }
    >
      An assistant is a model with instructions, tools, and stored conversations. Assistants that belong to the selected
      key's team appear here.
    </EmptyState>
  );
}

function NoKey() {
  return (
    <Page title="Assistants">
      <MigrationNotice />
      <Panel flush>
        <EmptyState
          title="Assistants need an API key"
          action={
            <ButtonLink to="/keys" variant="primary">
              Go to API keys
            </ButtonLink>
          }
        >
          Assistants belong to a team, and their runs are charged to an API key. Create a key first.
        </EmptyState>
      </Panel>
    </Page>
  );
}
