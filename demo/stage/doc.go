// Package stage is what the demonstrations stand on (demo.md): fresh processes of
// one executable, owned and bounded, and facts that are asserted one by one.
//
// A demonstration shows the machine from outside, so it does everything that a
// reader could do, by the command line, and believes nothing but what it measures.
package stage
