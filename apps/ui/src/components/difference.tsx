interface DifferenceProps {
  readonly before: Readonly<Record<string, unknown>> | null;
  readonly after: Readonly<Record<string, unknown>> | null;
}

/** Shows changed fields with their values before and after. */
export function Difference({ before, after }: DifferenceProps) {
  const names = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])].sort();
  const changed = names.filter((name) => toText(before?.[name]) !== toText(after?.[name]));
  if (changed.length === 0) return <p className="text-muted">No field changes recorded.</p>;
  return (
    <table className="w-full table-fixed border-collapse text-table">
      <thead>
        <tr className="border-b border-hairline text-left text-meta text-muted">
          <th className="py-1.5 font-medium">Field</th>
          <th className="py-1.5 font-medium">Before</th>
          <th className="py-1.5 font-medium">After</th>
        </tr>
      </thead>
      <tbody>
        {changed.map((name) => (
          <tr key={name} className="border-b border-hairline align-top">
            <th scope="row" className="py-1.5 pr-2 text-left font-medium break-words">
              {name}
            </th>
            <td className="py-1.5 pr-2 font-mono text-meta break-words text-muted">
              {toText(before?.[name]) ?? "Not set"}
            </td>
            <td className="py-1.5 font-mono text-meta break-words">{toText(after?.[name]) ?? "Not set"}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function toText(value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value === "string") return value;
  return JSON.stringify(value, (_, member: unknown) => (typeof member === "bigint" ? member.toString() : member));
}
