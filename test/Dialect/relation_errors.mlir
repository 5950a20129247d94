// RUN: layout-opt %s --split-input-file --verify-diagnostics

// Every error of a relation is at the factor that it is about.

// expected-error @+1 {{expected a relation, found `{ [i] -> [i] `}}
func.func private @f() attributes {x = #layout.relation<"{ [i] -> [i] ">}

// -----

// expected-error @+1 {{expected a relation with one image of each tuple, found { [i] -> [j] : 0 <= j <= 1 }}}
func.func private @f() attributes {x = #layout.relation<"{ [i] -> [j] : 0 <= j < 2 }">}

// -----

// expected-error @+1 {{expected a relation without parameters, found [n] -> { [i] -> [n + i] }}}
func.func private @f() attributes {x = #layout.relation<"[n] -> { [i] -> [i + n] }">}

// -----

// expected-error @+1 {{expected a relation in double quotes or a layout, found the end}}
func.func private @f() attributes {x = #layout.relation<>}

// -----

// expected-error @+1 {{expected 'o' and another factor, or the end, found '"{ [i] -> [i] }"'}}
func.func private @f() attributes {x = #layout.relation<"{ [i] -> [i] }" "{ [i] -> [i] }">}

// -----

// expected-error @+1 {{expected a factor with images of 2 integers, found 1}}
func.func private @f() attributes {x = #layout.relation<"{ [i,j] -> [i] }" o (4,2):(1,4)>}

// -----

// expected-error @+1 {{expected an integer within 64 bits, found 99999999999999999999}}
func.func private @f() attributes {x = #layout.relation<"{ [i] -> [99999999999999999999i] }">}

// -----

// expected-error @+1 {{expected a stride congruent to the shape (4,2), found (1)}}
func.func private @f() attributes {x = #layout.relation<"{ [i] -> [i] }" o (4,2):(1,)>}

// -----

// expected-error @+1 {{expected a relation, found `{ [i,j] -> [i*j] }`}}
func.func private @f() attributes {x = #layout.relation<"{ [i,j] -> [i*j] }">}

// -----

func.func @f(%i: index) {
  // expected-error @+2 {{'layout.relate' op [coordinate] expected a coordinate of 2 indices, found 1}}
  // expected-note @+1 {{in the relation:}}
  %y:2 = layout.relate #layout.relation<"{ [i,j] -> [i] }">(%i)
  return
}
