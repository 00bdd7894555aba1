export function Analyse(_: { id: string }) { return null; }
