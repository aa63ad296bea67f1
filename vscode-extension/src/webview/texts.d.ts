// Files that the bundler takes in as texts.

declare module '*.rs' {
  const text: string;
  export default text;
}
