import type { ReactNode } from "react";
import type { Column } from "./table-column.ts";

interface Selection {
  readonly keys: readonly string[];
  readonly onChange: (keys: readonly string[]) => void;
}

export interface DataTableProps<Row> {
  /** Description of the table for screen readers. */
  readonly label: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly rowKey: (row: Row) => string;
  /** Sort order: "name" is ascending, "-name" is descending. */
  readonly sort?: string;
  readonly onSort?: (sort: string) => void;
  /** Key of the row with an open detail panel. */
  readonly openKey?: string | null;
  readonly onOpen?: (row: Row) => void;
  readonly selection?: Selection;
  /** Two-line card for the row, for screens under 640 px. */
  readonly card: (row: Row) => ReactNode;
  /** Line below the rows: the number of rows, and how to load more. */
  readonly footer?: ReactNode;
  readonly density?: "compact" | "default";
  /** Returns the content expanded under a row; null while collapsed. */
  readonly expanded?: (row: Row) => ReactNode;
  /** Renders only the visible rows in a scrollable region, for hundreds of rows. */
  readonly virtual?: boolean;
  readonly empty: ReactNode;
}
