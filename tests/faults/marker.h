/* Closing this descriptor, which nobody has, tells the tracer that main begins. */
#ifndef FAULTS_MARKER_H
#define FAULTS_MARKER_H

#define FAULTS_MARKER (-4242)

#endif
