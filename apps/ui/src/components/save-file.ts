/** Downloads a file created on this page. */
export function saveFile(name: string, type: "text/csv" | "text/plain" | "application/json", content: string): void {
  const address = URL.createObjectURL(new Blob([content], { type: `${type};charset=utf-8` }));
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  URL.revokeObjectURL(address);
}
