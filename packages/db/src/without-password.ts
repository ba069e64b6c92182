/** Returns the connection string with its password masked. */
export function withoutPassword(connectionString: string): string {
  try {
    const url = new URL(connectionString);
    if (url.password !== "") url.password = "***";
    return url.toString();
  } catch {
    return "DATABASE_URL";
  }
}
