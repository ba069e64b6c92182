import type { CallFacts } from "@tollgate/sdk/gateway";
import { type ChatParameters, noParameters } from "./chat-parameters.ts";

export interface ToolCall {
  readonly id: string;
  readonly name: string;
  readonly arguments: string;
}

export interface Answer {
  readonly text: string;
  readonly reasoning: string;
  readonly toolCalls: readonly ToolCall[];
  readonly state: "running" | "done" | "stopped" | "failed";
  readonly facts: CallFacts | null;
  readonly finishReason: string | null;
  readonly error: unknown;
}

/** One question with its response. */
export interface Turn {
  readonly id: string;
  readonly text: string;
  /** Images as data URLs. */
  readonly images: readonly string[];
  readonly answer: Answer | null;
}

export interface Column {
  readonly id: string;
  readonly model: string;
  /** Parameters of this column that differ from the shared parameters. */
  readonly own: Partial<ChatParameters>;
  /** All branches of the conversation. Editing a question creates a branch. */
  readonly branches: readonly (readonly Turn[])[];
  readonly branch: number;
}

export interface ChatState {
  readonly columns: readonly Column[];
  readonly shared: ChatParameters;
}

export const MAX_COLUMNS = 4;

type ChatAction =
  | { readonly kind: "load"; readonly state: ChatState }
  | { readonly kind: "add_column"; readonly id: string; readonly model: string }
  | { readonly kind: "remove_column"; readonly id: string }
  | { readonly kind: "choose_model"; readonly id: string; readonly model: string }
  | { readonly kind: "set"; readonly columnId: string | null; readonly change: Partial<ChatParameters> }
  /** Removes the column's own parameters. */
  | { readonly kind: "unset"; readonly columnId: string }
  | { readonly kind: "ask"; readonly turn: Omit<Turn, "answer"> }
  | { readonly kind: "answer"; readonly columnId: string; readonly turnId: string; readonly answer: Answer }
  /** Starts a new branch that ends before this turn, so that the turn can be sent again. */
  | { readonly kind: "branch_before"; readonly turnId: string }
  | { readonly kind: "choose_branch"; readonly columnId: string; readonly branch: number }
  | { readonly kind: "clear" };

/** Returns the chat state after an action. */
export function changeChat(state: ChatState, action: ChatAction): ChatState {
  const { columns } = state;
  const change = (id: string, next: (column: Column) => Column): ChatState => ({
    ...state,
    columns: columns.map((column) => (column.id === id ? next(column) : column)),
  });
  switch (action.kind) {
    case "load":
      return action.state;
    case "add_column":
      return columns.length >= MAX_COLUMNS
        ? state
        : { ...state, columns: [...columns, { ...emptyColumn(action.id, action.model), ...questionsOf(columns[0]) }] };
    case "remove_column":
      return columns.length === 1 ? state : { ...state, columns: columns.filter(({ id }) => id !== action.id) };
    case "choose_model":
      return change(action.id, (column) => ({ ...column, model: action.model }));
    case "set":
      return action.columnId === null
        ? { ...state, shared: { ...state.shared, ...action.change } }
        : change(action.columnId, (column) => ({ ...column, own: { ...column.own, ...action.change } }));
    case "unset":
      return change(action.columnId, (column) => ({ ...column, own: {} }));
    case "ask":
      return eachColumn(state, (turns) => [...turns, { ...action.turn, answer: null }]);
    case "answer":
      return change(action.columnId, (column) => ({
        ...column,
        branches: column.branches.map((turns) =>
          turns.map((turn) => (turn.id === action.turnId ? { ...turn, answer: action.answer } : turn)),
        ),
      }));
    case "branch_before":
      return {
        ...state,
        columns: columns.map((column) => {
          const turns = turnsOf(column);
          const at = turns.findIndex(({ id }) => id === action.turnId);
          if (at === -1) return column;
          return { ...column, branches: [...column.branches, turns.slice(0, at)], branch: column.branches.length };
        }),
      };
    case "choose_branch":
      return change(action.columnId, (column) => ({ ...column, branch: action.branch }));
    case "clear":
      return { ...state, columns: columns.map((column) => ({ ...column, branches: [[]], branch: 0 })) };
  }
}

export function emptyColumn(id: string, model: string): Column {
  return { id, model, own: {}, branches: [[]], branch: 0 };
}

export function emptyChat(models: readonly string[]): ChatState {
  return { columns: models.map((model, index) => emptyColumn(`column-${index + 1}`, model)), shared: noParameters };
}

/** Returns the active branch of the conversation. */
export function turnsOf({ branches, branch }: Column): readonly Turn[] {
  return branches[branch] ?? [];
}

export function parametersOf({ shared }: ChatState, { own }: Column): ChatParameters {
  return { ...shared, ...own };
}

/** Returns the questions of a column without the responses, so that a new column can send the same questions. */
function questionsOf(column: Column | undefined): Pick<Column, "branches" | "branch"> {
  const turns = column === undefined ? [] : turnsOf(column);
  return { branches: [turns.map((turn) => ({ ...turn, answer: null }))], branch: 0 };
}

function eachColumn(state: ChatState, next: (turns: readonly Turn[]) => readonly Turn[]): ChatState {
  return {
    ...state,
    columns: state.columns.map((column) => ({
      ...column,
      branches: column.branches.map((turns, index) => (index === column.branch ? next(turns) : turns)),
    })),
  };
}
