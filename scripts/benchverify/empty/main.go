// Command empty does nothing: the floor of a Go program's start.
package main

func main() {}
