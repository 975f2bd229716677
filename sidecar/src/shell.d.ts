declare module '*.sh' {
  const text: string;
  export default text;
}
